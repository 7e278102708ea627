import { createInformers, type Job, JobKind, type KubeClient } from '@agents/kube'
import { namespace, type RunPlatform } from '../../run-platform/run-platform.ts'
import { type Measured, whileMeasured } from './processor-time.ts'

/**
 * Jobs without any runs: what the server, its controllers and the node can do at best on this machine. As many are under way
 * at a time as runs would be.
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

function bareJob(name: string): Job {
  return {
    metadata: { name, namespace },
    spec: {
      backoffLimit: 0,
      template: {
        spec: {
          restartPolicy: 'Never',
          // As those of runs: nobody asks for a token.
          automountServiceAccountToken: false,
          containers: [{ name: 'work', image: 'local', command: ['/bin/sh', '-c', 'true'] }],
        },
      },
    },
  } as Job
}
