// One policy, read anew, in a dialog; kept only by OK.
"use strict";

const editor = document.getElementById("editor");
const FIELDS = [["name", "Name"], ["comments", "Comments"], ["action", "Action"], ["status", "Status"]];
const CHANGED = ["name", "comments"];

async function edit(id, mayWrite, saved) {
  const path = `cmdb/firewall/policy/${id}?vdom=root`;
  const [row] = (await call(path)).results;
  document.getElementById("editor-title").textContent = `${mayWrite ? "Edit" : "View"} Policy ${id}`;
  document.getElementById("editor-told").textContent = "";
  document.getElementById("fields").replaceChildren(...FIELDS.map(([key, heading]) => field(key, heading, row, mayWrite)));
  const ok = document.getElementById("ok");
  ok.hidden = !mayWrite;
  ok.onclick = async () => {
    const body = JSON.stringify(Object.fromEntries(CHANGED.map((key) => [key, editor.querySelector(`[name=${key}]`).value])));
    try {
      await call(path, { method: "PUT", body });
    } catch (error) {
      document.getElementById("editor-told").textContent = error.message;
      return;
    }
    editor.close();
    saved();
  };
  editor.showModal();
}

function field(key, heading, row, mayWrite) {
  const label = document.createElement("label");
  const input = document.createElement("input");
  label.append(heading, input);
  input.name = key;
  input.value = row[key] ?? "";
  input.readOnly = !mayWrite || !CHANGED.includes(key);
  return label;
}
