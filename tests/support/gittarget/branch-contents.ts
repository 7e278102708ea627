import { type ConfigMap, ConfigMapKind } from '@agents/kube'
import { sanitize } from '../../../services/gittarget/src/document/sanitize.ts'
import { writeManifest } from '../../../services/gittarget/src/document/write-manifest.ts'
import { until } from '../testbed/until.ts'
import type { Team } from './test-bed.ts'

type Files = Readonly<Record<string, string>>

/** The files that the branch must contain for the team's ConfigMaps, no more and no fewer. */
export async function configMapFiles(team: Team): Promise<Files> {
  const { namespace } = team
  const { items } = await team.client.list<ConfigMap>(ConfigMapKind, { namespace })
  const own = items.filter(({ metadata }) => metadata.name !== 'kube-root-ca.crt')
  const entries = own.map((object) => {
    const full = { ...object, apiVersion: 'v1', kind: 'ConfigMap' }
    return [team.path('configmaps', object.metadata.name), writeManifest(sanitize(full))] as const
  })
  return sorted(Object.fromEntries(entries))
}

export async function mirroredConfigMaps(team: Team, branch = 'main'): Promise<Files> {
  const all = Object.entries(await team.files(branch))
  return sorted(Object.fromEntries(all.filter(([path]) => path.includes('/configmaps/'))))
}

function sorted(files: Files): Files {
  return Object.fromEntries(Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Waits until the branch equals the cluster. The timeout is that of the test. */
export async function untilEqual(team: Team, branch = 'main'): Promise<void> {
  await until(async () => {
    await new Promise((resolve) => setTimeout(resolve, 100))
    const wanted = await configMapFiles(team)
    // The repository may be unreachable or in the middle of being recreated.
    const found = await mirroredConfigMaps(team, branch).catch(() => ({}))
    return JSON.stringify(wanted) === JSON.stringify(found)
  })
}
