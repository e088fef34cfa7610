/** A view whose code is loaded when it is first shown, so that the first page is small. */
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ApiError } from '../api.js';
import { useTexts } from '../context.js';
import { Failure } from './failure.js';
import { Progress } from './progress.js';

export function lazy<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  let Loaded: ComponentType<P> | undefined;
  return function Lazy(props: P) {
    const { results } = useTexts();
    const [View, setView] = useState(() => Loaded);
    const [error, setError] = useState<ApiError>();
    useEffect(() => {
      if (Loaded) return;
      load().then(
        (view) => {
          Loaded = view;
          setView(() => view);
        },
        (cause: unknown) => setError(new ApiError(String(cause), 0)),
      );
    }, []);
    // The address of a part changes with a new version of the server: the page has to be loaded again.
    if (error) return <Failure error={error} onRetry={() => location.reload()} />;
    return View ? <View {...props} /> : <Progress text={results.searching} />;
  };
}
