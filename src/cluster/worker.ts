/** Entry of a worker thread, which holds a client of the cluster and the models. */
import { workOn } from '../pool/work.js';
import { type ClusterSetting, ClusterThread } from './thread.js';

export default workOn((setting: ClusterSetting) => new ClusterThread(setting));
