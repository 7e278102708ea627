import { systemClock } from '@agents/controller'
import type { Informers, KubeClient } from '@agents/kube'
import { silentLogger } from '@agents/log'
import type { StatusSettings } from '../../../services/jangar/src/server/http/status-reader.ts'
import { statusForApi } from '../../../services/jangar/src/server/process/status-ports.ts'

/** That of a control plane without controllers, whose leader it may not know. */
export function planeStatus(client: KubeClient, informers: Informers): StatusSettings {
  const ports = {
    ...{ client, log: silentLogger, clock: systemClock, runsControllers: false },
    lease: { namespace: 'red', name: 'agents-controller-leader' },
    namespaces: ['*'],
    cachesFilled: () => informers.all().every((informer) => informer.hasSynced()),
    database: () => undefined,
  }
  return statusForApi(ports, { enabled: false, address: '' })
}
