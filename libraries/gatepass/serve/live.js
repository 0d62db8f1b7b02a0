// Shows the living parts of a page anew whenever the server says that something changed.
const events = document.body.dataset.events;
if (events) {
  const source = new EventSource(events);
  source.onmessage = async () => {
    const answer = await fetch(location.href);
    if (!answer.ok) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (fresh.body.dataset.state !== document.body.dataset.state) return location.reload();
    for (const part of document.querySelectorAll("[data-live]")) {
      const next = fresh.getElementById(part.id);
      if (!next || next.innerHTML === part.innerHTML) continue;
      const chosen = new Set([...part.querySelectorAll("input:checked")].map((one) => one.value));
      part.innerHTML = next.innerHTML;
      for (const one of part.querySelectorAll("input")) one.checked = chosen.has(one.value);
    }
  };
}
