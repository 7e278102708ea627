import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { KubeObject } from '@agents/kube'
import { parse } from 'yaml'

/** The scripts: one for kinds that exist until they are deleted, one for kinds that run to completion. */
export const styles = ['ready', 'run'] as const

export type Style = (typeof styles)[number]

/**
 * The kstatus results that correspond to each health status of Argo CD. A cancelled run is Degraded and Failed, like a
 * failed one: its work was not done, and nothing further happens by itself. Suspended reflects only `spec.suspend`,
 * which kstatus does not know. Phases are not evaluated: DEGRADED is Progressing while a retry is pending, and no kind
 * has a phase ERROR.
 */
export const sameAs = {
  Healthy: ['Current'],
  Progressing: ['InProgress'],
  Degraded: ['Failed'],
  Suspended: ['Current', 'InProgress', 'Failed'],
} as const

export type Health = keyof typeof sameAs

interface Fixture {
  readonly style: Style
  readonly inputPath: string
  readonly healthStatus: { readonly status: Health; readonly message: string }
  readonly object: KubeObject & { readonly spec?: object; readonly status?: object }
}

const healthFolder = join(import.meta.dirname, '../../../argocd/health')

/** Reads all fixtures, which have the format of the fixtures in Argo CD's repository. */
export async function readFixtures(): Promise<Fixture[]> {
  const ofStyles = styles.map(async (style) => {
    const text = await readFile(join(healthFolder, style, 'health_test.yaml'), 'utf8')
    const { tests } = parse(text) as { tests: Omit<Fixture, 'style' | 'object'>[] }
    return Promise.all(
      tests.map(async (fixture) => {
        const path = join(healthFolder, style, fixture.inputPath)
        return { style, ...fixture, object: parse(await readFile(path, 'utf8')) }
      }),
    )
  })
  return (await Promise.all(ofStyles)).flat()
}

export function readScript(style: Style): Promise<string> {
  return readFile(join(healthFolder, style, 'health.lua'), 'utf8')
}
