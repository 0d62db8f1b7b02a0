// Calls of the REST API in the session of the cookies; without one, the page to log in.
"use strict";

function csrfToken() {
  const found = document.cookie.match(/(?:^|; )ccsrf_?token[^=]*="?([^";]+)/);
  return found ? found[1] : "";
}

async function call(path, options = {}) {
  const headers = { "X-CSRFTOKEN": csrfToken() };
  const answer = await fetch(`/api/v2/${path}`, { ...options, headers });
  if (answer.status === 401) {
    location.assign(`/login?redir=${encodeURIComponent(location.pathname)}`);
    throw new Error("The session has ended.");
  }
  if (!answer.ok) throw new Error(`The gateway answers ${answer.status} to ${path.split("?")[0]}.`);
  return answer.json();
}

document.getElementById("logout").addEventListener("click", async () => {
  await fetch("/logout", { method: "POST", headers: { "X-CSRFTOKEN": csrfToken() } });
  location.assign("/login");
});
