import { createHash } from 'node:crypto';

/** The one style of all pages, inside each of them. */
export const style = `
:root { color-scheme: light dark;
  --ground: #f6f7f9; --card: #ffffff; --ink: #1a2129; --soft: #4d5966; --line: #ccd3da; --link: #0b57a4;
  --yes: #17683a; --no: #a3231c; --on: #ffffff; --note: #fff4d6; --note-ink: #5c4300; --code: #f0f2f5; }
@media (prefers-color-scheme: dark) { :root {
  --ground: #11161b; --card: #1a2129; --ink: #e8ecf0; --soft: #aab5c0; --line: #3a4552; --link: #8cc2ff;
  --yes: #7fdca4; --no: #ffa49d; --on: #10161b; --note: #3a2f0e; --note-ink: #ffe3a0; --code: #11161b; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
header, main, footer { max-width: 46rem; margin: 0 auto; padding: 1rem; }
header { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; justify-content: space-between; }
header p { margin: 0; font-weight: 600; }
footer { color: var(--soft); font-size: .875rem; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 1rem; overflow-wrap: anywhere; }
h2 { font-size: 1.125rem; margin: 1.5rem 0 .5rem; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; padding: 1.25rem; }
.card > :first-child { margin-top: 0; }
.note { background: var(--note); color: var(--note-ink); border-left: .25rem solid currentColor; border-radius: .25rem;
  padding: .75rem 1rem; margin: 0 0 1rem; }
.state { display: inline-block; border: 1px solid currentColor; border-radius: 1rem; padding: 0 .75rem; font-weight: 600; }
.high, .critical, .rejected { color: var(--no); }
.low, .approved, .consumed { color: var(--yes); }
dl { display: grid; grid-template-columns: minmax(7rem, max-content) 1fr; gap: .375rem 1rem; margin: 0; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
ul { margin: 0; padding-left: 1.25rem; }
pre { background: var(--code); border: 1px solid var(--line); border-radius: .5rem; padding: .75rem; margin: 0;
  white-space: pre-wrap; overflow-wrap: anywhere; direction: ltr; unicode-bidi: bidi-override;
  font: .875rem/1.5 ui-monospace, monospace; }
label { display: block; font-weight: 600; margin: 0 0 .25rem; }
.hint { color: var(--soft); font-size: .875rem; margin: .25rem 0 .75rem; }
textarea { width: 100%; font: inherit; color: inherit; background: var(--card); border: 1px solid var(--soft);
  border-radius: .5rem; padding: .5rem .75rem; }
.buttons { display: flex; flex-wrap: wrap; gap: .75rem; }
button { font: inherit; font-weight: 600; min-height: 2.75rem; padding: .5rem 1.25rem; border-radius: .5rem; cursor: pointer;
  border: 2px solid var(--link); background: var(--card); color: var(--link); }
button.yes { background: var(--yes); border-color: var(--yes); color: var(--on); }
button.no { background: var(--no); border-color: var(--no); color: var(--on); }
a { color: var(--link); }
a:focus-visible, button:focus-visible, textarea:focus-visible, pre:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -999rem; }
.skip:focus { left: 1rem; top: .5rem; background: var(--card); padding: .5rem 1rem; }
.list { list-style: none; padding: 0; margin: 0; display: grid; gap: .75rem; }
.list p { margin: 0; overflow-wrap: anywhere; }
@media (max-width: 30rem) { dl { grid-template-columns: 1fr; gap: 0; } dd { margin-bottom: .5rem; } button { width: 100%; } }
@media (forced-colors: active) { .card, pre { border: 1px solid CanvasText; } }
`;

const styleHash = createHash('sha256').update(style).digest('base64');

/**
 * Of every answer. The referrer stays inside our own pages: with none at all, browsers hide the origin of a form that is
 * posted, and that is what tells our forms from those of others.
 */
export const strictHeaders = {
  'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
} as const;
