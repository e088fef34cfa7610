import { PriorartError } from '../../../../errors.js';
import type { Route } from '../../../route.js';
import { answer, queryOf } from '../../answer.js';
import { ADMIN, adminOf } from '../admin.js';
import { listGrantsOperation, revokeGrantOperation } from './openapi.js';
import { listGrantsSchema } from './schema.js';

const access = 'admin';
export const listGrants: Route = {
  method: 'GET',
  path: `${ADMIN}/grants`,
  endpoint: 'admin.grants',
  access,
  operation: listGrantsOperation,
  async handle(call) {
    const { account } = queryOf(call, listGrantsSchema);
    const grants = call.services.authorization?.connections() ?? [];
    const wanted = account === undefined ? grants : grants.filter((one) => one.account === account);
    return answer({ grants: await adminOf(call).requests.withLastUse(wanted, ({ key }) => key) });
  },
};

export const revokeGrant: Route = {
  method: 'POST',
  path: `${ADMIN}/grants/{grant}/revoke`,
  endpoint: 'admin.grants',
  access,
  operation: revokeGrantOperation,
  async handle(call) {
    const id = call.parameters['grant']!;
    const ended = await call.services.authorization?.endGrant(id);
    if (!ended) throw new PriorartError('not_found', `there is no grant ${JSON.stringify(id)}`);
    return answer(ended);
  },
};
