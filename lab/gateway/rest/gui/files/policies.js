// The list of policies: read in parts, searched here, edited one at a time.
"use strict";

const PART = 1000;
const COLUMNS = [
  ["policyid", "ID"], ["name", "Name"], ["srcintf", "From"], ["dstintf", "To"], ["source", "Source"],
  ["destination", "Destination"], ["service", "Service"], ["action", "Action"], ["nat", "NAT"], ["logtraffic", "Log"],
];
const ASKED = ["policyid", "name", "srcintf", "dstintf", "srcaddr", "srcaddr6", "dstaddr", "dstaddr6", "service", "action", "nat", "logtraffic"];
const SHORT = { accept: "ACCEPT", deny: "DENY", enable: "Enabled", disable: "Disabled", all: "All", utm: "UTM" };

const list = document.getElementById("list");
const count = document.getElementById("count");
const search = document.getElementById("search");
const editButton = document.getElementById("edit");
let policies = [], chosen = null, mayWrite = false;
// what the lab has the page do wrong on purpose
const bent = JSON.parse(document.body.dataset.bent);

const rows = new Rows(list, document.getElementById("head"), document.getElementById("rows"), COLUMNS, (one, opens) => {
  chosen = one;
  editButton.disabled = false;
  if (opens) open();
});

function cellsOf(row) {
  const names = (...keys) => keys.flatMap((key) => (row[key] ?? []).map((one) => one.name)).join(", ");
  return {
    policyid: String(row.policyid), name: row.name,
    srcintf: names("srcintf"), dstintf: names("dstintf"),
    source: names("srcaddr", "srcaddr6"), destination: names("dstaddr", "dstaddr6"), service: names("service"),
    action: SHORT[row.action] ?? row.action, nat: SHORT[row.nat] ?? row.nat, logtraffic: SHORT[row.logtraffic] ?? row.logtraffic,
  };
}

async function load() {
  list.setAttribute("aria-busy", "true");
  const read = [];
  for (let part; !part || part.length === PART;) {
    part = (await call(`cmdb/firewall/policy?vdom=root&format=${ASKED.join("|")}&start=${read.length}&count=${PART}`)).results;
    read.push(...part);
  }
  policies = read.map((row) => {
    const cells = cellsOf(row);
    return { row, cells, text: Object.values(cells).join("\n").toLowerCase() };
  });
  const begun = performance.now();
  while (performance.now() - begun < policies.length ** 2 * bent["gui-slows-down"] / 1000);
  show();
  list.setAttribute("aria-busy", "false");
  if (bent["gui-script-error"]) setTimeout(() => list.noSuchPart.focus());
}

function show() {
  const wanted = search.value.trim().toLowerCase();
  const found = wanted && bent["gui-search-misses"] ? [] :
    wanted ? policies.filter((one) => one.text.includes(wanted)) : policies;
  const of = found.length === policies.length ? "" : ` of ${policies.length.toLocaleString("en")}`;
  count.textContent = `${found.length.toLocaleString("en")}${of} policies`;
  const at = found.findIndex((one) => one.row.policyid === chosen?.row.policyid);
  chosen = found[at] ?? null;
  editButton.disabled = !chosen;
  rows.show(found, chosen && at);
}

function open() {
  edit(chosen.row.policyid, mayWrite, () => load().catch(tell)).catch(tell);
}

function tell(error) {
  count.textContent = error.message;
}

async function start() {
  const { admin } = (await call("monitor/web-ui/state?vdom=root")).results;
  mayWrite = admin.super_admin || admin.profile.fwgrp === "read-write";
  if (!mayWrite) editButton.textContent = "View";
  await load();
}

search.addEventListener("input", show);
editButton.addEventListener("click", open);
start().catch(tell);
