"""Robot's own report for who does not program.

The order's verdict colours it and stands above Robot's own count, what decided stands first, and no
sentence is cut. Robot colours its report green as soon as one check passed and none failed, says
"All tests passed" of those that ran, and knows one word, SKIP, for what is not proven and for what
is not applicable.
"""

from __future__ import annotations

from pathlib import Path

from gatepass.results.record import APPROVED, NOT_PROVEN, REJECTED

COLOURS = {APPROVED: "#e8f5e9", REJECTED: "#fdecea", NOT_PROVEN: "#fff8e1"}
"""Of the page, by the order's verdict."""
_KINDS = {APPROVED: "pass", REJECTED: "fail", NOT_PROVEN: "skip"}
"""Robot's classes of its words and, with `-bar`, of the bar that is the colour on a dark page."""
_END = "</body>"
_MARK = "<!-- Gatepass -->"
_MORE = """\
{mark}
<style>.details-limited {{ max-height: none; }}</style>
<script>
function setStatusColor() {{
  const dark = theme.getPreference() === 'dark';
  $('body').css('background-color', dark ? '#1c2227' : '{colour}');
  $('#status-bar').removeClass('fail-bar pass-bar skip-bar').toggleClass('{kind}-bar', dark);
}}
function sortByStatus(one, other) {{
  const place = (test) => {{
    const open = test.status === 'SKIP' && !test.message().startsWith('Not applicable:');
    return test.status === 'FAIL' ? 0 : open ? 1 : test.status === 'SKIP' ? 2 : 3;
  }};
  return place(one) - place(other);  // of one kind they stay in the order in which they ran
}}
const summary = document.getElementById('summaryTableTemplate');  // Robot fills it in afterwards
summary.text = summary.text.replace('<tr>',
  '<tr><th>Verdict:</th><td><span class="{kind}">{verdict}</span></td></tr><tr>');
</script>
"""


def finish(report: Path, verdict: str) -> None:
    """Have the report tell the order's verdict; what is no report of Robot stays as it is.

    Args:
        report: Robot's ``report.html``; need not be there.
        verdict: of the order.

    Raises:
        OSError: it cannot be read or written.
    """
    if not report.is_file():
        return
    page, end, rest = report.read_text(encoding="utf-8").rpartition(_END)
    if not end or _MARK in page:
        return
    words = {"colour": COLOURS[verdict], "kind": _KINDS[verdict], "verdict": verdict.capitalize()}
    more = _MORE.format(mark=_MARK, **words)
    report.write_text(f"{page}{more}{end}{rest}", encoding="utf-8", newline="\n")
