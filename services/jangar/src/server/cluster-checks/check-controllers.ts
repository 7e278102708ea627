import { isForbidden, isNotFound, type Lease, LeaseKind, type ObjectKey } from '@agents/kube'
import type { Examined } from './examined.ts'
import { type FoundLeases, findLeases } from './find-leases.ts'
import type { Finding } from './finding.ts'

const about = 'controllers'
const advice = [
  'On this machine: agentctl up. On a cluster: check the pods of the chart’s controllers Deployment.',
]

/** Checks that controllers run, by the Lease of their leader. */
export async function checkControllers(examined: Examined): Promise<Finding> {
  const { controllers } = examined
  if (typeof controllers === 'object' && 'pid' in controllers) {
    return { about, verdict: 'good', says: `running in process ${controllers.pid}` }
  }
  if (controllers === 'unelected') return unelected
  const { keys, hidden, hasUnelected } =
    controllers === undefined ? await findLeases(examined) : only(controllers.lease)
  const read = await Promise.all(keys.map((key) => readLease(key, examined)))
  const unread = [...hidden, ...read.filter((each) => typeof each === 'string')]
  const [newest] = read
    .filter((each) => typeof each === 'object')
    .toSorted((a, b) => (b.spec?.renewTime ?? '').localeCompare(a.spec?.renewTime ?? ''))
  if (newest !== undefined && isFresh(newest, examined.now())) {
    const says = `${newest.spec?.holderIdentity} is running (Lease ${placeOf(newest.metadata)})`
    return { about, verdict: 'good', says }
  }
  const others = unread.length === 0 ? '' : `; you are not allowed to ${unread.join(', ')}`
  const verdict = others === '' ? 'bad' : 'doubtful'
  if (newest !== undefined) {
    const { renewTime } = newest.spec ?? {}
    const since = renewTime === undefined ? '' : ` since ${renewTime}`
    const end = others === '' ? ': no controller is running' : others
    const says = `the Lease ${placeOf(newest.metadata)} has not been renewed${since}${end}`
    return { about, verdict, says, advice }
  }
  if (unread.length > 0) {
    return { about, verdict, says: `not checked: you are not allowed to ${unread.join(', ')}` }
  }
  if (hasUnelected) return unelected
  const what =
    keys.length === 0
      ? 'there is no Lease of controllers, and no Deployment that names one'
      : `the Lease ${keys.map(placeOf).join(', ')} does not exist`
  return { about, verdict, says: `${what}: no controller has ever run here`, advice }
}

const unelected: Finding = {
  about,
  verdict: 'doubtful',
  says: 'not checked: without leader election, controllers hold no Lease',
  advice: ['Check the pods of the chart’s controllers Deployment.'],
}

function only(lease: ObjectKey): FoundLeases {
  return { keys: [lease], hidden: [], hasUnelected: false }
}

/** What is not allowed, if it is not. */
async function readLease(
  key: ObjectKey,
  { client, signal }: Examined,
): Promise<Lease | string | undefined> {
  try {
    return await client.get(LeaseKind, key, { signal })
  } catch (error) {
    if (isNotFound(error)) return undefined
    if (isForbidden(error)) return `get Lease ${placeOf(key)}`
    throw error
  }
}

function isFresh({ spec }: Lease, now: Date): boolean {
  const { holderIdentity, renewTime = '', leaseDurationSeconds = 15 } = spec ?? {}
  // An invalid time does not count as fresh.
  return !!holderIdentity && now.getTime() - Date.parse(renewTime) <= leaseDurationSeconds * 1000
}

function placeOf({ namespace, name }: { namespace?: string | undefined; name: string }): string {
  return `${namespace}/${name}`
}
