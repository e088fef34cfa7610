/** Entry of the page's bundle. */
import { render } from 'preact';
import { App } from './app.js';
import { applyTheme, storedTheme } from './preferences.js';
import './styles/tokens.css';
import './styles/base.css';
import './styles/frame.css';

applyTheme(storedTheme());
render(<App />, document.getElementById('page')!);
