import { parseConfig } from '@agents/config'
import { type Reconciler, systemClock } from '@agents/controller'
import {
  controllers,
  coreCaches,
  orchestrationCaches,
  supportingCaches,
  toolController,
  toolRunController,
} from '@agents/jangar'
import { tool, toolRun } from '@agents/jangar-api'
import { kindRef } from '@agents/kube'
import { silentLogger } from '@agents/log'
import type { ContractSubject } from '../contract-subject.ts'
import { completeJobs } from './complete-jobs.ts'
import { objectDependency } from './object-dependency.ts'

const echo = { image: 'local', command: ['/bin/echo', '{{ parameters.x }}'] }

export const toolSubjects: readonly ContractSubject[] = [
  {
    kind: tool,
    spec: echo,
    changedSpec: { timeoutSeconds: 60 },
    environment: ({ informers, namespace }) => {
      const caches = supportingCaches(informers, [namespace])
      const { reconciler, sources } = toolController({ caches })
      return { reconciler: reconciler as Reconciler, sources }
    },
  },
  {
    kind: toolRun,
    // The suite advances the clock by years.
    spec: { toolRef: { name: 'echo' }, parameters: { x: 'hello' }, ttlSecondsAfterFinished: 0 },
    changedSpec: { ttlSecondsAfterFinished: 3600 },
    dependency: objectDependency(kindRef(tool), 'echo', { spec: echo }),
    environment: (ports) => {
      completeJobs(ports)
      const { client, informers, namespace } = ports
      const { reconciler, sources } = toolRunController({
        client,
        caches: {
          ...coreCaches(informers, [namespace]),
          ...orchestrationCaches(informers, [namespace]),
        },
        events: { record: () => undefined },
        log: silentLogger,
        clock: systemClock,
        config: parseConfig(controllers, {}),
        isPlatformAccount: () => false,
      })
      return { reconciler: reconciler as Reconciler, sources }
    },
  },
]
