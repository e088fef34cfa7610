/** A form that sends once at a time, and shows why a call failed. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type ApiError, failureOf } from '../api.js';
import { Problem } from './problem.js';
import { useDashboardTexts } from './texts.js';

interface Props {
  label: string;
  submit: string;
  children: ComponentChildren;
  /** @param fields the values by name */
  onSend(fields: Record<string, string>, form: HTMLFormElement): Promise<void>;
}

export function Form({ label, submit, children, onSend }: Props) {
  const [error, setError] = useState<ApiError>();
  const [isSending, setSending] = useState(false);
  const isSent = useRef(false);
  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    if (isSent.current) return;
    isSent.current = true;
    const form = event.currentTarget as HTMLFormElement;
    const fields = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]));
    setSending(true);
    setError(undefined);
    try {
      await onSend(fields, form);
    } catch (cause) {
      setError(failureOf(cause));
    } finally {
      isSent.current = false;
      setSending(false);
    }
  };
  return (
    <form class="dashboard-form" aria-label={label} onSubmit={send}>
      {children}
      {/* A button that is disabled would lose the focus. */}
      <button type="submit" class="button main" aria-disabled={isSending}>
        {submit}
      </button>
      {error && <Problem error={error} />}
    </form>
  );
}

/**
 * Moves the focus when a step opens or closes what had it: to the first field or text of the step, and back to the button
 * with its name in `data-opens`.
 * @param step what is shown
 * @returns of the element that holds buttons and steps
 */
export function useStepFocus<T extends HTMLElement>(step: string) {
  const place = useRef<T>(null);
  const before = useRef(step);
  useEffect(() => {
    const left = before.current;
    before.current = step;
    const active = document.activeElement;
    if (left === step || (active !== null && active !== document.body)) return;
    const find = (selector: string) => place.current?.querySelector<HTMLElement>(selector);
    const target = find(`[data-opens="${left}"]`) ?? find('input, select, [tabindex]') ?? find('button');
    target?.focus();
  }, [step]);
  return place;
}

/** What a step asks. It gets the focus, so a screen reader reads it. */
export function Asked({ text }: { text: string }) {
  return <p tabIndex={-1}>{text}</p>;
}

/** Empties a field, and keeps the others. */
export function clear(form: HTMLFormElement, name: string): void {
  const field = form.elements.namedItem(name);
  if (field instanceof HTMLInputElement) field.value = '';
}

/** Fewest characters of a new password, as PASSWORD_CHARS in limits.ts. The server checks it. */
const PASSWORD_MIN_CHARS = 12;

interface FieldProps {
  name: string;
  label: string;
  type?: 'text' | 'password';
  value?: string;
  complete?: string;
  hint?: string;
  minLength?: number;
  /** What a browser checks; the hint says it in words. */
  pattern?: string;
}

export function Field({
  name,
  label,
  type = 'text',
  value,
  complete = 'off',
  hint,
  minLength,
  pattern,
}: FieldProps) {
  return (
    <label>
      <span>{label}</span>
      <input
        name={name}
        type={type}
        defaultValue={value}
        autocomplete={complete}
        minLength={minLength}
        pattern={pattern}
        title={pattern && hint}
        required
      />
      {hint && <small>{hint}</small>}
    </label>
  );
}

/** The field `password` of a form that sets one. */
export function NewPasswordField() {
  const { accounts: words } = useDashboardTexts();
  return (
    <Field
      name="password"
      label={words.newPassword}
      type="password"
      complete="new-password"
      minLength={PASSWORD_MIN_CHARS}
    />
  );
}
