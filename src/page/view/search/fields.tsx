/** Inputs of the filters. Each shows what the server says of its field. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { listOf } from '../../model/entries.js';
import {
  CHOICES,
  type ChoiceField as ChoiceName,
  type DateKind,
  type FlagField,
  type ListField,
  type Search,
  type TextField,
} from '../../model/fields.js';
import { useTexts } from '../context.js';
import { FieldComplaint } from './field-complaint.js';

export interface FieldProps {
  search: Search;
  complaints: ReadonlyMap<string, string>;
  onChange(search: Search): void;
}

type Labelled = keyof ReturnType<typeof useTexts>['filters']['fields'];

/** Attributes that tie an input to its hint and its complaint. */
export function described(name: string, complaints: FieldProps['complaints'], hint?: string) {
  const isWrong = complaints.has(name);
  const ids = [hint ? `${name}-hint` : '', isWrong ? `${name}-complaint` : ''].filter(Boolean).join(' ');
  return {
    id: `field-${name}`,
    ...(ids ? { 'aria-describedby': ids } : {}),
    ...(isWrong ? { 'aria-invalid': 'true' as const } : {}),
  };
}

interface FrameProps {
  name: Labelled;
  hint?: string | undefined;
  complaints: FieldProps['complaints'];
  children: ComponentChildren;
}

export function Frame({ name, hint, complaints, children }: FrameProps) {
  const { filters } = useTexts();
  return (
    <div class="field">
      <label for={`field-${name}`}>{filters.fields[name]}</label>
      {children}
      {hint && (
        <p id={`${name}-hint`} class="field-hint">
          {hint}
        </p>
      )}
      <FieldComplaint id={`${name}-complaint`} message={complaints.get(name)} />
    </div>
  );
}

export function TextFieldInput({
  search,
  complaints,
  onChange,
  name,
  hint,
}: FieldProps & { name: TextField & Labelled; hint?: string }) {
  return (
    <Frame name={name} hint={hint} complaints={complaints}>
      <input
        type="text"
        {...described(name, complaints, hint)}
        value={search[name]}
        onInput={(event) => onChange({ ...search, [name]: event.currentTarget.value })}
      />
    </Frame>
  );
}

/** A list as a text with commas. */
export function ListFieldInput({
  search,
  complaints,
  onChange,
  name,
  hint,
}: FieldProps & { name: ListField; hint?: string }) {
  const [text, put] = useListText(search[name]);
  return (
    <Frame name={name} hint={hint} complaints={complaints}>
      <input
        type="text"
        {...described(name, complaints, hint)}
        value={text}
        onInput={(event) => onChange({ ...search, [name]: put(event.currentTarget.value) })}
      />
    </Frame>
  );
}

/**
 * The text of a list, which stays as it is typed.
 * @returns the text, and a function that takes a new one and returns its entries
 */
export function useListText(value: readonly string[]): [string, (text: string) => string[]] {
  const [text, setText] = useState(() => value.join(', '));
  // A list of an earlier letter may come back after the next one was typed.
  const typed = useRef(new WeakSet<readonly string[]>());
  useEffect(() => {
    // The list came from elsewhere, such as the address.
    if (!typed.current.has(value)) setText(value.join(', '));
  }, [value]);
  const put = (wanted: string) => {
    const entries = listOf(wanted);
    typed.current.add(entries);
    setText(wanted);
    return entries;
  };
  return [text, put];
}

export function CheckField({ search, onChange, name }: FieldProps & { name: FlagField }) {
  const { filters } = useTexts();
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={search[name]}
        onChange={(event) => onChange({ ...search, [name]: event.currentTarget.checked })}
      />
      {filters.fields[name]}
    </label>
  );
}

type Choosable = Exclude<ChoiceName, 'view' | 'date_type' | 'sort' | 'titles'>;

export function ChoiceField({ search, complaints, onChange, name }: FieldProps & { name: Choosable }) {
  const { filters } = useTexts();
  const text = (value: string): string =>
    name === 'top_k' ? value : (filters[name] as Readonly<Record<string, string>>)[value]!;
  return (
    <Frame name={name} complaints={complaints}>
      <select
        {...described(name, complaints)}
        value={search[name]}
        onChange={(event) => onChange({ ...search, [name]: event.currentTarget.value })}
      >
        {CHOICES[name].map((value) => (
          <option key={value} value={value}>
            {text(value)}
          </option>
        ))}
      </select>
    </Frame>
  );
}

/** A range of days. */
export function DateField({ search, complaints, onChange, kind }: FieldProps & { kind: DateKind }) {
  const { filters } = useTexts();
  return (
    <fieldset class="field">
      <legend>{filters.fields[`${kind}_date`]}</legend>
      <div class="date-range">
        {(['from', 'to'] as const).map((end) => {
          const name = `${kind}_date_${end}` as const;
          return (
            <input
              key={end}
              type="date"
              {...described(name, complaints)}
              aria-label={`${filters.fields[`${kind}_date`]} ${filters[end]}`}
              value={search[name]}
              onInput={(event) => onChange({ ...search, [name]: event.currentTarget.value })}
            />
          );
        })}
      </div>
      {(['from', 'to'] as const).map((end) => (
        <FieldComplaint
          key={end}
          id={`${kind}_date_${end}-complaint`}
          message={complaints.get(`${kind}_date_${end}`)}
        />
      ))}
    </fieldset>
  );
}
