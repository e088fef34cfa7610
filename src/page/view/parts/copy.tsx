/** A button that copies a text, and says whether it did. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { useTexts } from '../context.js';

interface Props {
  label: string;
  text(): string;
}

/** How long the button says what it did, ms. */
const SAID_MS = 5_000;

export function Copy({ label, text }: Props) {
  const { share } = useTexts();
  const [state, setState] = useState<'copied' | 'copyFailed'>();
  const button = useRef<HTMLButtonElement>(null);
  // Safari gives a button no focus when it is clicked, so `blur` alone would not take the word away.
  useEffect(() => {
    if (state === undefined) return;
    const timer = setTimeout(() => setState(undefined), SAID_MS);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = async () => {
    const isCopied = await writeText(text(), button.current!);
    setState(isCopied ? 'copied' : 'copyFailed');
  };
  return (
    <button ref={button} type="button" class="button" onClick={copy} onBlur={() => setState(undefined)}>
      <span aria-live="polite">{state === undefined ? label : share[state]}</span>
    </button>
  );
}

/** @returns whether the text is in the clipboard */
async function writeText(text: string, button: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Pages of plain HTTP, other than those of this machine, have no clipboard, and a browser may forbid it.
    return copySelected(text, button);
  }
}

/** Copies a selected text. It stands beside the button: all but an open dialog is inert, and cannot be selected. */
function copySelected(text: string, button: HTMLElement): boolean {
  const field = document.createElement('textarea');
  field.className = 'unseen';
  field.value = text;
  button.after(field);
  field.select();
  const isCopied = document.activeElement === field && document.execCommand('copy');
  field.remove();
  button.focus();
  return isCopied;
}
