/** What servers on a cluster share beside the publications: accounts, keys and quotas, and the log of requests. */
import type { SharedStore } from '../access/shared-documents.js';
import type { ClusterAddress } from '../engine-options.js';
import { SHARED } from '../limits.js';
import { ClusterClient } from './client.js';
import { settingsOf } from './settings.js';
import { ClusterDocuments } from './shared-documents.js';
import { ClusterLog } from './shared-log.js';

/**
 * Opens what the servers on a cluster share. Makes the index of accounts if the cluster has none.
 * @throws PriorartError `unavailable`
 */
export async function openSharedStore(address: Omit<ClusterAddress, 'engine'>): Promise<SharedStore> {
  const settings = settingsOf(address);
  // The client sends a request again, to another node. So a node gets a part of the time.
  const timeoutMs = Math.min(settings.timeoutMs, SHARED.waitMs / 2);
  const client = await ClusterClient.open({ ...settings, timeoutMs });
  const documents = new ClusterDocuments(client);
  try {
    await documents.makeIndex();
    return { documents, openLog: (limits) => new ClusterLog(client, limits) };
  } catch (error) {
    await documents.close();
    throw error;
  }
}
