/** A part that scrolls by itself, also by keyboard. */
import type { ComponentChildren } from 'preact';

interface Props {
  label: string;
  children: ComponentChildren;
  class?: string;
  onScroll?(event: Event): void;
}

export function Scrolled({ label, children, class: more = '', onScroll }: Props) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without the focus, no key scrolls it
    <section class={`scrolled ${more}`} tabIndex={0} aria-label={label} onScroll={onScroll}>
      {children}
    </section>
  );
}
