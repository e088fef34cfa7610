/** A list of class codes, which suggests classes by their codes and by words: a combobox of WAI-ARIA. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Suggestion } from '../../model/class-titles.js';
import { entryAt, withEntry } from '../../model/entries.js';
import { useClassTitles } from '../class-titles.js';
import { useTexts } from '../context.js';
import { isComposing } from './composing.js';
import { described, type FieldProps, Frame, useListText } from './fields.js';

const SUGGESTIONS = 8;

interface Props extends FieldProps {
  name: 'ipc_codes' | 'cpc_codes';
  hint?: string;
}

export function ClassField({ search, complaints, onChange, name, hint }: Props) {
  const { filters } = useTexts();
  const [text, put] = useListText(search[name]);
  const [isUsed, setUsed] = useState(false);
  const [open, setOpen] = useState<{ offered: readonly Suggestion[]; active: number }>();
  const [unknown, setUnknown] = useState('');
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const titles = useClassTitles(isUsed || search[name].length > 0);
  const listId = `field-${name}-classes`;

  const suggest = () => {
    const { value, selectionStart } = input.current!;
    const { entry } = entryAt(value, selectionStart ?? value.length);
    const offered = titles?.suggest(entry, name === 'ipc_codes' ? 'ipc' : 'cpc', SUGGESTIONS) ?? [];
    const isDone = offered.length === 1 && offered[0]!.code === entry.toUpperCase();
    setOpen(offered.length === 0 || isDone ? undefined : { offered, active: -1 });
    setUnknown(titles && offered.length === 0 && titles.titleOf(entry) === undefined ? entry : '');
  };
  // The titles may arrive after the first letters.
  useEffect(() => {
    if (titles && document.activeElement === input.current && input.current?.value) suggest();
  }, [titles]);
  // The form may have been cleared.
  useEffect(() => {
    if (text === '') setUnknown('');
  }, [text]);
  const offered = open?.offered;
  // The bar with the buttons stands over the end of the filters.
  useEffect(() => {
    if (offered) list.current?.scrollIntoView({ block: 'nearest' });
  }, [offered]);
  const choose = ({ code }: Suggestion) => {
    const element = input.current!;
    const { text: wanted, caret } = withEntry(element.value, element.selectionStart ?? 0, code);
    onChange({ ...search, [name]: put(wanted) });
    setOpen(undefined);
    element.focus();
    // Text and caret change at once. A caret that is set in the next frame moves in front of a letter that was typed before it.
    element.value = wanted;
    element.setSelectionRange(caret, caret);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    const { offered, active } = open ?? { offered: [], active: -1 };
    if (event.key === 'ArrowDown' && !open) suggest();
    else if (event.key === 'ArrowDown' && open) setOpen({ offered, active: (active + 1) % offered.length });
    else if (event.key === 'ArrowUp' && open)
      setOpen({ offered, active: active <= 0 ? offered.length - 1 : active - 1 });
    else if (event.key === 'Enter' && offered[active]) choose(offered[active]);
    else if (event.key === 'Escape' && open) setOpen(undefined);
    else {
      // Enter searches, and the list would stay over the filters.
      if (event.key === 'Enter') setOpen(undefined);
      return;
    }
    event.preventDefault();
  };
  const active = open && open.active >= 0 ? `${listId}-${open.active}` : undefined;
  return (
    <Frame name={name} hint={hint} complaints={complaints}>
      <div class="suggesting">
        <input
          type="text"
          role="combobox"
          autocomplete="off"
          spellcheck={false}
          aria-autocomplete="list"
          aria-expanded={open !== undefined}
          aria-controls={listId}
          aria-activedescendant={active}
          {...described(name, complaints, hint)}
          ref={input}
          value={text}
          onFocus={() => setUsed(true)}
          onBlur={() => setOpen(undefined)}
          onKeyDown={onKeyDown}
          onInput={(event) => {
            onChange({ ...search, [name]: put(event.currentTarget.value) });
            suggest();
          }}
        />
        <div
          id={listId}
          ref={list}
          class="suggestions"
          role="listbox"
          aria-label={filters.fields[name]}
          hidden={!open}
        >
          {offered?.map((offer, at) => (
            <Option
              key={offer.code}
              id={`${listId}-${at}`}
              offer={offer}
              isActive={at === open?.active}
              onChoose={choose}
            />
          ))}
        </div>
        <span class="unseen" role="status">
          {open ? filters.suggestions(open.offered.length) : ''}
        </span>
      </div>
      <p class="field-unknown" role="status">
        {unknown !== '' && filters.noClass(unknown)}
      </p>
      {titles && (
        <ul class="class-list">
          {search[name].map((code) => {
            const title = titles.titleOf(code);
            return (
              title && (
                <li key={code}>
                  <b>{code}</b> {title}
                </li>
              )
            );
          })}
        </ul>
      )}
    </Frame>
  );
}

function Option({
  id,
  offer,
  isActive,
  onChoose,
}: {
  id: string;
  offer: Suggestion;
  isActive: boolean;
  onChoose(offer: Suggestion): void;
}) {
  const item = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isActive) item.current?.scrollIntoView({ block: 'nearest' });
  }, [isActive]);
  return (
    // The keys are those of the input, which keeps the focus.
    <div
      id={id}
      ref={item}
      role="option"
      tabIndex={-1}
      aria-selected={isActive}
      onMouseDown={(event) => {
        event.preventDefault();
        onChoose(offer);
      }}
    >
      <b>{offer.code}</b> {offer.title}
    </div>
  );
}
