/** The latest answer, dimmed while a new one is awaited. */
import type { ComponentChildren } from 'preact';
import { Progress } from './progress.js';

interface Props {
  isWaiting: boolean;
  text: string;
  /** As of `Progress`. */
  waits?(seconds: number): string;
  children: ComponentChildren;
}

export function Answered({ isWaiting, text, waits, children }: Props) {
  return (
    <div class={isWaiting ? 'answered waiting' : 'answered'} aria-busy={isWaiting}>
      {isWaiting && <Progress text={text} {...(waits && { waits })} />}
      {children}
    </div>
  );
}
