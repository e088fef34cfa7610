/** Entry of the page's bundle. */
import { render } from 'preact';
import { textsIn } from '../languages/index.js';
import { App } from './app.js';
import { applyTheme, storedLanguage, storedTheme } from './preferences.js';
import { startSession } from './session.js';
import './styles/tokens.css';
import './styles/base.css';
import './styles/frame.css';
import './styles/parts.css';
import './styles/search.css';
import './styles/results.css';
import './styles/patent.css';
import './styles/statistics.css';
import './styles/dashboard.css';
import './styles/print.css';
import 'uplot/dist/uPlot.min.css';

startSession();
applyTheme(storedTheme());
textsIn(storedLanguage()).then((texts) => render(<App first={texts} />, document.getElementById('page')!));
