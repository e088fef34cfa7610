/** A line that moves while the server works, with the time after some seconds. */
import { useEffect, useState } from 'preact/hooks';

const TOLD_AFTER_S = 3;

interface Props {
  text: string;
  /** What is said after some seconds. Default: the text with the time. */
  waits?(seconds: number): string;
}

export function Progress({ text, waits = (seconds) => `${text} · ${seconds} s` }: Props) {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setSeconds((before) => before + 1), 1_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <div class="progress" role="status">
      <div class="progress-line" />
      <span class="unseen">{text}</span>
      {/* A screen reader would say each second. */}
      {seconds >= TOLD_AFTER_S && <p aria-hidden="true">{waits(seconds)}</p>}
    </div>
  );
}
