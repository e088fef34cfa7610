/** The line at the top: where to go, language, colours. */
import { useState } from 'preact/hooks';
import { LANGUAGES, type Language, NAMES } from '../../languages/index.js';
import { isolated } from '../../model/isolated.js';
import { useSession, useTexts } from '../context.js';
import { operator } from '../operator.js';
import { useAfterPaint } from '../parts/after-paint.js';
import { keepTheme, storedTheme, THEMES, type Theme } from '../preferences.js';
import { hasEnded } from '../session.js';

interface Props {
  onLanguage(language: Language): void;
  /** First part of the address. */
  place: string;
}

export function Header({ onLanguage, place }: Props) {
  const texts = useTexts();
  const [theme, setTheme] = useState<Theme>(storedTheme);
  const { frame } = texts;
  const isPainted = useAfterPaint('page');
  const link = (target: string, href: string, text: string) => (
    <a href={href} aria-current={place === target ? 'page' : undefined}>
      {text}
    </a>
  );
  // A link to an anchor would change the address, which holds the state of the page.
  const skip = () => document.getElementById('content')?.focus();
  return (
    <header class="frame-header">
      <button type="button" class="skip" onClick={skip}>
        {frame.skip}
      </button>
      <a class="brand" href="#/">
        {frame.title}
      </a>
      <nav aria-label={frame.pages}>
        {link('search', '#/', frame.search)}
        {link('dashboard', '#/dashboard', frame.dashboard)}
        <a href="docs">{frame.reference}</a>
      </nav>
      <Account place={place} />
      <div class="frame-choices">
        <label>
          <span class="unseen">{frame.language}</span>
          <select value={texts.code} onChange={(event) => onLanguage(event.currentTarget.value as Language)}>
            {(isPainted ? LANGUAGES : [texts.code]).map((code) => (
              <option key={code} value={code} lang={code}>
                {NAMES[code]}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span class="unseen">{frame.theme}</span>
          <select
            value={theme}
            onChange={(event) => {
              const chosen = event.currentTarget.value as Theme;
              setTheme(chosen);
              keepTheme(chosen);
            }}
          >
            {THEMES.map((name) => (
              <option key={name} value={name}>
                {frame.themes[name]}
              </option>
            ))}
          </select>
        </label>
      </div>
    </header>
  );
}

/** Who searches here, and how much of the month's quota is used. In the dashboard, an operator. */
function Account({ place }: { place: string }) {
  const { frame, number } = useTexts();
  const state = useSession();
  const isOperator = operator.use();
  const isEnded = hasEnded.use();
  if (isOperator && place === 'dashboard') return <p class="frame-account">{frame.operator}</p>;
  if (state.status === 'waiting') return <p class="frame-account" />;
  const account = state.status === 'known' && !isEnded ? state.session.account : undefined;
  if (!account) return null;
  const [used, most] = [number(account.used), number(account.monthly_quota)];
  return (
    <p class="frame-account">
      <span class="frame-account-long">
        {frame.account(isolated(account.name))} · {frame.quota(used, most)}
      </span>
      <span class="frame-account-short" aria-hidden="true">
        <bdi>{account.name}</bdi>
        <span>
          {used} / {most}
        </span>
      </span>
    </p>
  );
}
