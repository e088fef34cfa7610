/** Entry of a worker thread, which holds one folder and its models. */
import { type FolderSetting, FolderThread } from './folder-thread.js';
import { workOn } from './work.js';

export default workOn((setting: FolderSetting) => new FolderThread(setting));
