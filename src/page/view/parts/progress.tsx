/** A line that moves while the server works, with the time after some seconds. */
import { useEffect, useState } from 'preact/hooks';
import { useTexts } from '../context.js';

const TOLD_AFTER_S = 3;

export function Progress({ text }: { text: string }) {
  const { results } = useTexts();
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setSeconds((before) => before + 1), 1_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <div class="progress" role="status">
      <div class="progress-line" />
      <span class="unseen">{text}</span>
      {seconds >= TOLD_AFTER_S && <p>{results.waits(seconds)}</p>}
    </div>
  );
}
