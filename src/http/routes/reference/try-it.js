// Sends the examples of the reference page. Runs in the browser without a build step, and loads nothing from
// other origins.
const keyField = document.getElementById('key');
const base = new URL('.', location.href);

/** The current request of a form. */
function requestOf(form) {
  const { method, path } = form.dataset;
  const query = new URLSearchParams();
  let filled = path.slice(1);
  for (const input of form.querySelectorAll('input[data-in]')) {
    if (input.dataset.in === 'query') {
      if (input.value !== '') query.append(input.name, input.value);
    } else if (input.value !== '') {
      filled = filled.replace(`{${input.name}}`, encodeURIComponent(input.value));
    }
  }
  const url = new URL(filled, base);
  url.search = query.toString();
  const body = form.elements.body?.value;
  return { method: method.toUpperCase(), url, body, needsKey: 'key' in form.dataset };
}

function quoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function showCurl(form) {
  const { method, url, body, needsKey } = requestOf(form);
  // curl follows a redirect to an image and saves the image under its name.
  // Fields that are not filled in stay readable: {publication_id}.
  const address = url.href.replaceAll('%7B', '{').replaceAll('%7D', '}');
  const parts = ['saved' in form.dataset ? 'curl -sLO' : 'curl -s', quoted(address)];
  // With a body, curl sends a POST by default.
  if (method !== 'GET' && !(method === 'POST' && body !== undefined)) parts.push(`-X ${method}`);
  if (needsKey) parts.push('-H "X-API-Key: $KEY"');
  if (body !== undefined) parts.push("-H 'Content-Type: application/json'", `-d ${quoted(body)}`);
  form.querySelector('.curl').textContent = parts.join(' ');
}

async function send(form) {
  const output = form.querySelector('.answer');
  const { method, url, body, needsKey } = requestOf(form);
  output.hidden = false;
  if (needsKey && keyField.value.trim() === '') {
    output.textContent = 'This endpoint needs a key: enter yours under “Your X-API-Key”, then send again.';
    keyField.focus();
    return;
  }
  output.textContent = '…';
  const headers = {};
  if (needsKey) headers['X-API-Key'] = keyField.value.trim();
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  const started = performance.now();
  try {
    const response = await fetch(url, { method, headers, body });
    const type = response.headers.get('content-type') ?? '';
    const told = `${response.status} ${response.statusText}, ${Math.round(performance.now() - started)} ms`;
    if (type.startsWith('image/')) {
      const image = document.createElement('img');
      image.alt = 'The drawing that was answered';
      image.src = URL.createObjectURL(await response.blob());
      output.replaceChildren(`${told}\n`, image);
      return;
    }
    const text = await response.text();
    output.textContent = `${told}\n${type.startsWith('application/json') ? pretty(text) : text}`;
  } catch (error) {
    output.textContent = `No answer: ${error.message}`;
  }
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

for (const form of document.querySelectorAll('form[data-method]')) {
  showCurl(form);
  form.addEventListener('input', () => showCurl(form));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    send(form);
  });
  for (const button of form.querySelectorAll('button[data-example]')) {
    button.addEventListener('click', () => {
      form.elements.body.value = button.dataset.example;
      showCurl(form);
    });
  }
}
