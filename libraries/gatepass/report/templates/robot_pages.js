'use strict';
// Robot fills the page in when it is ready, with functions that are replaced here.
const renderAllStatistics = renderStatTable;
renderStatTable = (name, rows) => renderAllStatistics(
  name, rows.filter((row) => row.total).map((row) => Object.assign(row, {info: ''})));

$(document).ready(() => {
  $('#statistics-container').appendTo(document.body);  // what decided comes before what was counted
  $('#theme-toggle').attr('aria-label', 'Light or dark');
  $('#log-level-selector select').attr('aria-label', 'Log level');
});
