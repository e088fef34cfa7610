/** OpenAPI operations of the health endpoints. */
import { errorAnswer, type Operation } from '../../openapi/operation.js';

function health(id: string, summary: string, canBeDown: boolean): Operation {
  const up: Operation['answers'] = { 200: { description: 'It is', content: 'Health' } };
  return {
    id,
    tag: 'Service',
    summary,
    description: 'Needs no key and has no limits.',
    answers: canBeDown ? { ...up, 503: errorAnswer(['not_ready'], 'What is missing', 'Retry-After') } : up,
  };
}

export const livezOperation: Operation = {
  ...health('livez', 'Whether the process is up', false),
  examples: { Health: { up: { status: 'ok' }, ready: { status: 'ready' } } },
};
export const readyzOperation = health(
  'readyz',
  'Whether requests can be answered; what is missing if not',
  true,
);
export const healthzOperation = health('healthz', 'The same as /readyz', true);
