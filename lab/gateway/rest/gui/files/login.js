// Log-in by a password, as this release takes one: /logincheck, or /api/v2/authentication.
"use strict";

const TOLD = {
  wrong: "Authentication failure",
  locked: "Too many login failures. Please try again in a few minutes…",
  lost: "The gateway does not answer.",
};
const FIRST = "/prompt?viewOnly&redir=";

const ways = {
  async logincheck(username, secretkey) {
    const body = new URLSearchParams({ username, secretkey, ajax: "1" });
    const answer = await fetch("/logincheck", { method: "POST", body });
    return { 1: "", 2: "locked" }[(await answer.text())[0]] ?? "wrong";
  },
  async authentication(username, secretkey) {
    const body = JSON.stringify({ username, secretkey, ack_pre_disclaimer: true, ack_post_disclaimer: true });
    const answer = await fetch("/api/v2/authentication", { method: "POST", body });
    if (answer.ok) return "";
    return answer.status === 429 ? "locked" : "wrong";
  },
};

const told = document.getElementById("told");
const button = document.getElementById("login_button");

document.querySelector("form").addEventListener("submit", async (event) => {
  event.preventDefault();
  told.textContent = "";
  button.disabled = true;
  const value = (id) => document.getElementById(id).value;
  let failed = "lost";
  try {
    failed = await ways[document.body.dataset.login](value("username"), value("secretkey"));
  } catch { /* what is told says it */ }
  if (failed) {
    told.textContent = TOLD[failed];
    button.disabled = false;
    return;
  }
  const wanted = new URLSearchParams(location.search).get("redir") || "/";
  location.assign(FIRST + encodeURIComponent(wanted));
});
