/** Drawings, one at a time, and enlarged in a dialog. Arrow keys turn the pages. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Drawing } from '../../model/document.js';
import { useTexts } from '../context.js';

interface Props {
  drawings: readonly Drawing[];
  /** A drawing that the visitor chose in the text: it is shown enlarged. */
  asked: number | undefined;
  onClosed(): void;
}

export function Drawings({ drawings, asked, onClosed }: Props) {
  const { patent: texts } = useTexts();
  const [at, setAt] = useState(0);
  const dialog = useRef<HTMLDialogElement>(null);
  const current = drawings[at]!;
  const isOne = drawings.length === 1;
  const turn = (by: number) => setAt((before) => (before + by + drawings.length) % drawings.length);
  const keys = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    // With another key, it is a command of the browser, such as going back.
    const { altKey, ctrlKey, metaKey, shiftKey } = event;
    if (by === undefined || isOne || altKey || ctrlKey || metaKey || shiftKey) return;
    event.preventDefault();
    turn(by);
  };
  useEffect(() => {
    if (asked === undefined) return;
    setAt(asked);
    dialog.current?.showModal();
  }, [asked]);
  const name = current.label || texts.drawingNumber(at + 1);
  const caption = texts.drawing(name, at + 1, drawings.length);
  const buttons = (
    <div class="drawing-buttons">
      {!isOne && (
        <button type="button" class="button" aria-label={texts.previous} onClick={() => turn(-1)}>
          ‹
        </button>
      )}
      <span aria-live="polite">{caption}</span>
      {!isOne && (
        <button type="button" class="button" aria-label={texts.next} onClick={() => turn(1)}>
          ›
        </button>
      )}
    </div>
  );
  return (
    <section class="panel drawings" aria-labelledby="heading-drawings" onKeyDown={keys}>
      <h2 id="heading-drawings">{texts.drawings}</h2>
      <button
        type="button"
        class="drawing"
        aria-label={`${texts.enlarge}: ${name}`}
        onClick={() => dialog.current?.showModal()}
      >
        {/* With a key for each drawing, none stays under the name of the next one while that loads. */}
        <img key={current.source} src={current.source} alt={name} />
      </button>
      {buttons}
      <dialog ref={dialog} class="dialog drawing-dialog" aria-label={texts.drawings} onClose={onClosed}>
        <div class="dialog-head">
          {buttons}
          <button type="button" class="button" onClick={() => dialog.current?.close()}>
            {texts.close}
          </button>
        </div>
        <img key={current.source} src={current.source} alt={name} />
      </dialog>
    </section>
  );
}
