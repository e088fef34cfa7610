/** The frame of every page, and the choice of the page by its address. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Language, type Texts, textsIn } from '../languages/index.js';
import type { Address } from '../model/address.js';
import { SessionContext, TextsContext, useTexts } from './context.js';
import { Header } from './frame/header.js';
import { MaintenanceNote } from './frame/maintenance-note.js';
import { usePageTitle } from './page-title.js';
import { lazy } from './parts/lazy.js';
import { keepLanguage } from './preferences.js';
import { useAddress } from './router.js';
import { SearchPage } from './search/search-page.js';
import { useSessionOfServer } from './session.js';

/** @param first texts of the language with which the page begins */
export function App({ first }: { first: Texts }) {
  const [texts, setTexts] = useState(first);
  const session = useSessionOfServer();
  const address = useAddress();
  useEffect(() => {
    document.documentElement.lang = texts.code;
  }, [texts]);
  const chosen = useRef<Language>(first.code);
  const choose = async (language: Language) => {
    chosen.current = language;
    keepLanguage(language);
    const wanted = await textsIn(language);
    // Another language may have been chosen meanwhile.
    if (chosen.current === language) setTexts(wanted);
  };
  return (
    <TextsContext.Provider value={texts}>
      <SessionContext.Provider value={session}>
        <Header onLanguage={choose} place={address.parts[0] ?? 'search'} />
        <MaintenanceNote />
        <main id="content" tabIndex={-1}>
          <View address={address} />
        </main>
      </SessionContext.Provider>
    </TextsContext.Provider>
  );
}

const Dashboard = lazy(async () => (await import('./dashboard/dashboard.js')).Dashboard);
const PatentPage = lazy(async () => (await import('./patent/patent-page.js')).PatentPage);

/** To add a page: a case here, and a component in a folder of its own. */
function View({ address: { parts, parameters } }: { address: Address }) {
  switch (parts[0]) {
    case undefined:
      return <SearchPage parameters={parameters} />;
    case 'patent':
      return <PatentPage id={parts[1] ?? ''} parameters={parameters} />;
    case 'dashboard':
      return <Dashboard part={parts[1]} parameters={parameters} />;
    default:
      return <NotFound />;
  }
}

function NotFound() {
  const { frame } = useTexts();
  usePageTitle(frame.notFound);
  return (
    <div class="start">
      <h1>{frame.notFound}</h1>
      <p>
        <a href="#/">{frame.home}</a>
      </p>
    </div>
  );
}
