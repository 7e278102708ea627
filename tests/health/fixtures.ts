import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { KubeObject } from '@agents/kube'
import { parse } from 'yaml'

/** The scripts: one for kinds that live until they are deleted, one for kinds that run once. */
export const styles = ['ready', 'run'] as const

export type Style = (typeof styles)[number]

/**
 * What kstatus says when Argo CD says this. A cancelled run is Degraded and Failed, like one that has failed: what it was to do
 * has not been done, and nothing will happen by itself. Suspended is only what `spec.suspend` says, of which kstatus knows
 * nothing. Phases decide nothing: DEGRADED is Progressing while something is tried again, and no kind has a phase ERROR.
 */
export const sameAs = {
  Healthy: ['Current'],
  Progressing: ['InProgress'],
  Degraded: ['Failed'],
  Suspended: ['Current', 'InProgress', 'Failed'],
} as const

export type Health = keyof typeof sameAs

export interface Fixture {
  readonly style: Style
  readonly inputPath: string
  readonly healthStatus: { readonly status: Health; readonly message: string }
  readonly object: KubeObject & { readonly spec?: object; readonly status?: object }
}

const healthFolder = join(import.meta.dirname, '..', '..', 'argocd', 'health')

/** Every fixture, in the form in which Argo CD keeps those of the kinds that it knows. */
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
