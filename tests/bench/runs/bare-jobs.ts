import { createInformers, type Job, JobKind, type KubeClient } from '@agents/kube'
import { namespace, type RunPlatform } from '../../support/run-platform/run-platform.ts'
import { type Measured, whileMeasured } from './processor-time.ts'

/**
 * Measures Jobs without runs: the best that the server, its controllers and the node can do on this machine, with as
 * many concurrent Jobs as there would be runs.
 */
export async function measureBareJobs(
  { client, pids, startNode }: RunPlatform,
  count: number,
  concurrency: number,
): Promise<Measured> {
  const node = await startNode()
  return whileMeasured({ ...pids, node: node.pid }, () =>
    createAsOthersEnd(client, count, concurrency),
  )
}

async function createAsOthersEnd(
  client: KubeClient,
  count: number,
  concurrency: number,
): Promise<void> {
  const informers = createInformers(client)
  const jobs = informers.acquire(JobKind, { namespace })
  const over = new Set<string>()
  const { promise: allOver, resolve, reject } = Promise.withResolvers<void>()
  let created = 0
  const createNext = (): void => {
    if (created === count) return
    created += 1
    client.create(JobKind, bareJob(`bare-${created}`)).catch(reject)
  }
  const look = ({ metadata, status }: Job): void => {
    if (status?.completionTime === undefined || over.has(metadata.name)) return
    over.add(metadata.name)
    if (over.size === count) resolve()
    else createNext()
  }
  jobs.addHandler({ onAdd: look, onUpdate: (_before, after) => look(after) })
  for (let at = 0; at < concurrency; at += 1) createNext()
  await allOver
  await informers.stop()
}

/** A Job whose pod does nothing. */
export function bareJob(name: string): Job {
  return {
    metadata: { name, namespace },
    spec: {
      backoffLimit: 0,
      template: {
        spec: {
          restartPolicy: 'Never',
          // As in the pods of runs, no token is mounted.
          automountServiceAccountToken: false,
          containers: [{ name: 'work', image: 'local', command: ['/bin/sh', '-c', 'true'] }],
        },
      },
    },
  } as Job
}
