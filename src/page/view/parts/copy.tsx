/** A button that copies a text. */
import { useState } from 'preact/hooks';
import { useTexts } from '../context.js';

interface Props {
  label: string;
  text(): string;
}

export function Copy({ label, text }: Props) {
  const { share } = useTexts();
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await writeText(text());
    setCopied(true);
  };
  return (
    <button type="button" class="button" onClick={copy} onBlur={() => setCopied(false)}>
      <span aria-live="polite">{isCopied ? share.copied : label}</span>
    </button>
  );
}

/** Pages of plain HTTP, other than those of this machine, have no clipboard: a selected text is copied instead. */
async function writeText(text: string): Promise<void> {
  if (navigator.clipboard) {
    await navigator.clipboard.writeText(text);
    return;
  }
  const field = document.createElement('textarea');
  field.value = text;
  document.body.append(field);
  field.select();
  document.execCommand('copy');
  field.remove();
}
