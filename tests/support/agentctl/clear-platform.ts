import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isNotFound, type KubeClient, type KubeObject, type ServedResource } from '@agents/kube'
import { Client } from 'pg'
import { until } from '../testbed/until.ts'

interface FoundObject {
  readonly path: string
  readonly uid: string
  readonly owners: readonly string[]
  readonly isEvent: boolean
  readonly isBeingDeleted: boolean
}

/** What the platform itself writes all the time. */
const ownResources = new Set(['leases', 'nodes', 'auditevents'])

/** Deletes everything but what is named from a platform, so that the next tests find it as it was at its start. */
export async function clearPlatform(
  admin: KubeClient,
  stateDir: string,
  initial: readonly string[],
): Promise<void> {
  const kept = new Set(initial)
  // What an object has that stays, such as the artifacts of the first run, may be younger than it.
  const added = async () =>
    (await objectsIn(admin)).filter(
      ({ uid, owners }) => !kept.has(uid) && !owners.some((owner) => kept.has(owner)),
    )
  let left: readonly FoundObject[] = []
  const clear = async (): Promise<boolean> => {
    left = (await added()).filter(({ isEvent }) => !isEvent)
    const own = left.filter(({ owners, isBeingDeleted }) => owners.length === 0 && !isBeingDeleted)
    await Promise.all(own.map(({ path }) => remove(admin, path)))
    return left.length === 0
  }
  await until(clear, undefined, { timeoutMs: 120_000, everyMs: 200 }).catch((cause: unknown) => {
    const names = left.map(({ path }) => path).join(', ')
    throw new Error(`these objects of the tests before stay: ${names}`, { cause })
  })
  // There may be new ones of what was just deleted.
  const events = (await added()).filter(({ isEvent }) => isEvent)
  await Promise.all(events.map(({ path }) => remove(admin, path)))
  await forgetRuns(stateDir)
}

export async function objectsIn(admin: KubeClient): Promise<readonly FoundObject[]> {
  const resources = (await admin.discovery.resources()).filter(
    ({ resource, verbs }) =>
      ['list', 'delete'].every((verb) => verbs.includes(verb)) && !ownResources.has(resource),
  )
  return (await Promise.all(resources.map((resource) => objectsOf(admin, resource)))).flat()
}

async function objectsOf(
  admin: KubeClient,
  { group, version, resource }: ServedResource,
): Promise<readonly FoundObject[]> {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
  const { bytes } = await admin.request({ path: `${root}/${resource}` })
  const { items } = JSON.parse(bytes.toString('utf8')) as { items: readonly KubeObject[] }
  return items.map(({ metadata }) => {
    const { name, namespace, uid = '', ownerReferences = [], deletionTimestamp } = metadata
    const folder = namespace === undefined ? root : `${root}/namespaces/${namespace}`
    return {
      ...{ path: `${folder}/${resource}/${name}`, uid, isEvent: resource === 'events' },
      owners: ownerReferences.map((owner) => owner.uid),
      isBeingDeleted: deletionTimestamp !== undefined,
    }
  })
}

async function remove(admin: KubeClient, path: string): Promise<void> {
  await admin.request({ method: 'DELETE', path }).catch((error: unknown) => {
    if (!isNotFound(error)) throw error
  })
}

/** Waits until the platform has finished its start: the database comes last, and then has the first run. */
export async function untilArchived(stateDir: string): Promise<void> {
  const rows = () => query(stateDir, 'select name from run_archive').catch(() => 0)
  await until(async () => (await rows()) > 0, 'the first run is not archived')
}

/** Lists of runs show what the archive keeps, too. What is gone from the cluster has been archived. */
async function forgetRuns(stateDir: string): Promise<void> {
  await query(stateDir, "delete from run_archive where name <> 'first-run'")
}

/** Asks the database of the platform, and returns the number of rows. */
async function query(stateDir: string, text: string): Promise<number> {
  const folder = join(stateDir, 'postgres')
  const lock = await readFile(join(folder, 'data', 'postmaster.pid'), 'utf8')
  const password = await readFile(join(folder, 'password'), 'utf8')
  const login = { host: '127.0.0.1', port: Number(lock.split('\n')[3]), user: 'agents', password }
  const client = new Client({ ...login, database: 'agents' })
  try {
    await client.connect()
    return (await client.query(text)).rowCount ?? 0
  } finally {
    await client.end()
  }
}
