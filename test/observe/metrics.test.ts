import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Metrics } from '../../src/observe/metrics.js';

/** The value of a series: its name with all of its labels. */
function seriesOf(text: string, series: string): number | undefined {
  const line = text.split('\n').find((each) => each.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length));
}

describe('metrics', () => {
  it('counts requests by endpoint, method and status, in the buckets of OpenTelemetry', async () => {
    const metrics = new Metrics();
    for (const ms of [4, 30, 30, 9_999]) {
      metrics.requestFinished({ method: 'POST', endpoint: 'semantic', status: 200, ms });
    }
    metrics.requestFinished({ method: 'XYZZY', endpoint: 'none', status: 405, ms: 1 });
    const text = await metrics.text();
    const labels = 'http_request_method="POST",http_route="semantic",http_response_status_code="200"';
    const bucket = (le: string) =>
      seriesOf(text, `http_server_request_duration_seconds_bucket{le="${le}",${labels}}`);
    assert.deepEqual([bucket('0.005'), bucket('0.05'), bucket('10'), bucket('+Inf')], [1, 3, 4, 4]);
    assert.match(text, /http_request_method="_OTHER"/);
    assert.doesNotMatch(text, /XYZZY/);
  });

  it("shows the workers' counts, and reads gauges on each request", async () => {
    const metrics = new Metrics();
    let waiting = 3;
    metrics.watch({
      connections: () => 7,
      activeRequests: () => 2,
      pool: () => ({
        workers: 4,
        parallel: 4,
        running: 4,
        waiting,
        waitingMax: 256,
        shedding: false,
        refused: 11,
      }),
      index: () => undefined,
    });
    metrics.answered({
      kind: 'semantic',
      ms: 3,
      waitedMs: 1,
      timings: { embed: 0.2, knn: 2 },
      scans: ['exact', 'ivf', 'ivf'],
      passages: { estimated: 800, scored: 500 },
      replanned: { widened: 1, rescanned: 0 },
    });
    const first = await metrics.text();
    assert.equal(seriesOf(first, 'priorart_queue_waiting'), 3);
    assert.equal(seriesOf(first, 'priorart_queue_refused_total'), 11);
    assert.equal(seriesOf(first, 'priorart_segment_scans_total{scan="ivf"}'), 2);
    assert.equal(seriesOf(first, 'priorart_search_stage_duration_seconds_count{stage="knn"}'), 1);
    assert.equal(seriesOf(first, 'priorart_search_stage_duration_seconds_sum{stage="knn"}'), 0.002);
    assert.equal(seriesOf(first, 'http_server_open_connections'), 7);
    assert.equal(seriesOf(first, 'priorart_search_passages_total{how="scored"}'), 500);
    assert.equal(seriesOf(first, 'priorart_search_replanned_total{how="widened"}'), 1);
    assert.match(first, /^priorart_recall_at_10 NaN$/im);
    const recall = (found: number) => ({ checks: 1, failed: 0, wanted: 10, found });
    metrics.answered({ kind: 'semantic', ms: 3, waitedMs: 1, recall: recall(10) });
    metrics.answered({ kind: 'details', ms: 3, waitedMs: 1, recall: recall(0) });
    const checked = await metrics.text();
    assert.equal(seriesOf(checked, 'priorart_recall_at_10'), 0.99);
    assert.equal(seriesOf(checked, 'priorart_recall_checks_total{outcome="done"}'), 2);
    assert.equal(seriesOf(checked, 'priorart_recall_documents_total{which="wanted"}'), 20);
    assert.equal(seriesOf(checked, 'priorart_recall_documents_total{which="found"}'), 10);
    assert.match(first, /nodejs_eventloop_lag_p99_seconds/);
    waiting = 0;
    assert.equal(seriesOf(await metrics.text(), 'priorart_queue_waiting'), 0);
  });
});
