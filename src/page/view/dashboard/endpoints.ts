/** Names of endpoints for people. */
import type { DashboardTexts } from '../../languages/dashboard/en.js';

/** @param endpoint as in the log of requests: `semantic`, `mcp.search_patents` */
export function endpointName({ endpoints }: DashboardTexts, endpoint: string): string {
  const names: Readonly<Record<string, string>> = endpoints;
  return names[endpoint] ?? endpoint;
}

/** Whether it is called by pages and operators, and not by those who search. */
export function isAdministration(endpoint: string): boolean {
  return /^(?:admin|account|page|oauth|docs|openapi|livez|readyz)(?:\.|$)/.test(endpoint);
}
