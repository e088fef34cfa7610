/** The pages of a sign-in. Plain forms: they need no script, and work with a keyboard and a screen reader. */
import { createHash } from 'node:crypto';
import { TEXTS, text } from './texts.js';

export interface Page {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** What the pages say about the client of a request. Every text comes from the client. */
export interface ClientView {
  name: string;
  /** Host that publishes its metadata document; absent for registered clients. */
  publishedAt?: string | undefined;
  /** Where the answer goes. */
  redirectUri: string;
}

const STYLE = `
:root { color-scheme: light dark; --ground: #f4f5f7; --paper: #fff; --text: #1b1f24; --soft: #57606a; --line: #8c959f; --main: #0b57d0; --on-main: #fff; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ground: #14171a; --paper: #1e2227; --text: #e6e9ec; --soft: #a9b2bc; --line: #7d8790; --main: #9ec1ff; --on-main: #0a2450; --bad: #ffb4ab; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
main { max-width: 27rem; margin: 8vh auto; padding: 2rem; background: var(--paper); border-radius: .75rem; overflow-wrap: anywhere; }
@media (max-width: 30rem) { main { margin: 0; min-height: 100vh; border-radius: 0; padding: 1.5rem; } }
h1 { margin: 0 0 1rem; font-size: 1.5rem; line-height: 1.25; }
label { display: block; margin: 1rem 0 .25rem; font-weight: 600; }
input { width: 100%; padding: .625rem .75rem; font: inherit; color: inherit; background: transparent; border: 1px solid var(--line); border-radius: .375rem; }
button { padding: .625rem 1.25rem; font: inherit; font-weight: 600; border: 1px solid var(--main); border-radius: .375rem; background: var(--main); color: var(--on-main); cursor: pointer; }
button.second { background: transparent; color: var(--main); }
:focus-visible { outline: 3px solid var(--main); outline-offset: 2px; }
.buttons { display: flex; flex-wrap: wrap; gap: .75rem; margin-top: 1.5rem; }
.bad { color: var(--bad); font-weight: 600; }
.soft { color: var(--soft); }
dt { font-weight: 600; margin-top: .75rem; }
dd { margin: 0; }
`;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** Text that is shown as it is, also within an attribute. */
export function escaped(shown: string): string {
  return shown.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}

/**
 * @param sentTo the address that a form leads to in the end. Browsers apply `form-action` to redirects, too
 */
function page(status: number, title: string, content: string, sentTo?: string): Page {
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${STYLE_HASH}'`,
    `form-action 'self'${sentTo === undefined ? '' : ` ${sourceOf(sentTo)}`}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      // The browser names the origin of a form only with a policy that allows it.
      'referrer-policy': 'same-origin',
    },
    body: `<!doctype html>
<html lang="${TEXTS.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escaped(title)} · priorart</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
${content}
</main>
</body>
</html>
`,
  };
}

/** An address as a source of a policy. Policies cannot name addresses of IPv6, nor paths of other schemes. */
function sourceOf(address: string): string {
  const { protocol, origin, hostname } = new URL(address);
  const isNameable = /^https?:$/.test(protocol) && /^[a-z0-9.-]+$/.test(hostname);
  return isNameable ? origin : protocol;
}

export function signInPage(
  client: ClientView,
  site: string,
  given: { account?: string; fault?: 'wrong' | 'empty' } = {},
): Page {
  const { account = '', fault } = given;
  const described = fault === undefined ? '' : ' aria-describedby="fault" aria-invalid="true"';
  const content = `<p>${escaped(text('signInFor', { client: client.name, site }))}</p>
${fault === undefined ? '' : `<p class="bad" id="fault" role="alert">${escaped(text(fault))}</p>`}
<form method="post" accept-charset="utf-8">
<input type="hidden" name="step" value="sign-in">
<label for="account">${escaped(text('account'))}</label>
<input id="account" name="account" value="${escaped(account)}" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="200" required${described}${account === '' ? ' autofocus' : ''}>
<label for="password">${escaped(text('password'))}</label>
<input id="password" name="password" type="password" autocomplete="current-password" maxlength="1000" required${described}${account === '' ? '' : ' autofocus'}>
<div class="buttons"><button>${escaped(text('signIn'))}</button>
<button class="second" name="step" value="deny" formnovalidate>${escaped(text('deny'))}</button></div>
</form>`;
  return page(fault === 'wrong' ? 401 : 200, text('signInTitle'), content, client.redirectUri);
}

export function consentPage(client: ClientView, account: { name: string; id: string }): Page {
  const row = (name: string, value: string) => `<dt>${escaped(name)}</dt><dd>${escaped(value)}</dd>`;
  const published = client.publishedAt;
  const content = `<p>${escaped(text('consentFor', { client: client.name }))}</p>
<dl>
${row(text('youAre'), `${account.name} (${account.id})`)}
${row(text('clientIs'), client.name)}
${published === undefined ? '' : row(text('publishedAt'), published)}
${row(text('sentTo'), placeOf(client.redirectUri))}
${row(text('mayDo'), text('scope'))}
</dl>
<p class="soft">${escaped(text('mayNot'))}</p>
<p class="soft">${escaped(text('unverified'))}</p>
<form method="post" accept-charset="utf-8">
<div class="buttons"><button name="step" value="allow">${escaped(text('allow'))}</button>
<button class="second" name="step" value="deny">${escaped(text('deny'))}</button></div>
</form>`;
  return page(200, text('consentTitle'), content, client.redirectUri);
}

/** @param detail the reason, as the library says it */
export function errorPage(
  status: number,
  reason: 'expired' | 'crossSite' | 'startAgain',
  detail?: string,
): Page {
  const more = detail === undefined ? '' : `<p class="soft">${escaped(detail)}</p>`;
  return page(status, text('errorTitle'), `<p>${escaped(text(reason))}</p>\n${more}`);
}

/** An address as a person recognises it. */
function placeOf(address: string): string {
  const { protocol, host, hostname } = new URL(address);
  if (/^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname)) return text('ofThisMachine', { host });
  return /^https?:$/.test(protocol) ? host : `${protocol.slice(0, -1)} (${address})`;
}
