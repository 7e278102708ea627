import { chartSurface } from './chart-surface.ts'
import { commandSurface, programFlags } from './command-surface.ts'
import { conditionSurface } from './condition-surface.ts'
import { definitionSurface } from './definition-surface.ts'
import { protocolSurface } from './protocol-surface.ts'
import { settingSurface } from './setting-surface.ts'
import { domainNamesIn, metricsIn, namesIn, readSources, variablesIn } from './source-names.ts'
import type { Surface } from './surface.ts'

/** The public surface of the checkout in a folder, which may be of another revision than this script. */
export async function collectSurface(root: string, helm: string): Promise<Surface> {
  const sources = await readSources(root)
  return {
    agentctl: await commandSurface(root),
    chart: await chartSurface(root, helm),
    conditions: await conditionSurface(root),
    definitions: await definitionSurface(root),
    'environment variables': namesIn(sources, variablesIn),
    'labels and annotations': namesIn(sources, domainNamesIn),
    metrics: namesIn(sources, metricsIn),
    programs: await programFlags(root),
    protocols: await protocolSurface(root),
    settings: await settingSurface(root),
  }
}
