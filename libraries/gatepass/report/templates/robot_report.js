'use strict';
// Robot fills the page in when it is ready, with functions and templates that are replaced here.
const gravest = {{ gravest | tojson }};  // ids of checks that decide, gravest first

function setStatusColor() {
  const dark = theme.getPreference() === 'dark';
  $('body').css('background-color', dark ? '#1c2227' : '{{ colour }}');
  $('#status-bar').removeClass('fail-bar pass-bar skip-bar').toggleClass('{{ kind }}-bar', dark);
}

function verdictOf(test) {
  if (test.status !== 'SKIP')
    return test.status;
  return test.message().startsWith('Not applicable:') ? 'NOT APPLICABLE' : 'NOT PROVEN';
}

const ranks = ['FAIL', 'NOT PROVEN', 'NOT APPLICABLE', 'PASS'];

function sortByStatus(one, other) {
  const place = (test) => gravest.includes(test.id) ? gravest.indexOf(test.id) : gravest.length;
  return ranks.indexOf(verdictOf(one)) - ranks.indexOf(verdictOf(other))
    || place(one) - place(other);  // of one kind they stay in the order in which they ran
}

function addDetails() {
  addCustomSortersForDetails();
  if (window.location.hash)
    showDetailsByHash();
  else
    renderTotalSelector();  // all checks
}

function configureTableSorter() {  // the rows are in their order
  $.tablesorter.addParser({
    id: 'verdict', type: 'numeric', is: () => false, format: (text) => ranks.indexOf(text),
  });
  $('#test-details').tablesorter({
    headers: {4: {sorter: 'verdict'}, 6: {sortInitialOrder: 'desc'}, 7: {sorter: 'times'}},
    selectorSort: '.details-col-header',
  });
}

function change(template, from, to) {
  const element = document.getElementById(template);
  element.text = element.text.replace(from, to);
}

change('summaryTableTemplate', '<tr>',
  '<tr><th>Verdict:</th><td><span class="{{ kind }}">{{ verdict }}</span></td></tr><tr>');
change('testDetailsTableRowTemplate', '>${status}<', '>${verdictOf($data)}<');
