import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type RenderedObject, readManifest } from '@agents/chart-tools'
import { parse } from 'yaml'
import { runTool } from '../tools/run-tool.ts'

export const chart = join(import.meta.dirname, '../../../charts/agents')

export type HelmVersion = '3' | '4'

export interface Render {
  readonly code: number
  readonly manifest: string
  readonly objects: readonly RenderedObject[]
  readonly errors: string
}

interface RenderOptions {
  readonly helm?: HelmVersion
  readonly release?: string
  readonly namespace?: string
  readonly args?: readonly string[]
}

/** Renders the chart with `helm template`; `errors` holds what Helm printed to stderr. */
export async function render(values: unknown, options: RenderOptions = {}): Promise<Render> {
  const { helm = '4', release = 'agents', namespace = 'agents', args = [] } = options
  const command = ['template', release, chart, '--namespace', namespace, '--values', '-', ...args]
  const { code, stdout, stderr } = await runTool(['helm', helm], command, {
    stdin: JSON.stringify(values),
  })
  return { code, manifest: stdout, objects: readManifest(stdout), errors: stderr }
}

/** A values file that ships with the chart. */
export function valuesFile(name: string): Record<string, unknown> {
  return parse(readFileSync(join(chart, name), 'utf8'))
}

/** The problems that the chart itself lists in its error message. */
export function problemsIn(errors: string): readonly string[] {
  return [...errors.matchAll(/^- (.+)$/gm)].map(([, line = '']) => line)
}

export function find(
  objects: readonly RenderedObject[],
  kind: string,
  name: string,
): RenderedObject {
  const found = objects.find((object) => object.kind === kind && object.metadata.name === name)
  if (found === undefined) throw new Error(`there is no ${kind} ${name}`)
  return found
}
