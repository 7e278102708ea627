import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { helmRenderer, identity, readManifest } from '@agents/chart-tools'
import { parse } from 'yaml'
import { withoutTexts } from './definition-surface.ts'
import type { Json } from './surface.ts'

/** The chart's values with their schema, and which objects it renders by default and with everything enabled. */
export async function chartSurface(root: string, helm: string): Promise<Json> {
  const chart = join(root, 'charts', 'agents')
  const read = (path: string) => readFile(join(chart, path), 'utf8')
  const render = helmRenderer(helm, chart)
  const objects = async (values: unknown) =>
    readManifest(await render(values))
      .map(identity)
      .toSorted()
  const everything = join('ci', 'everything-values.yaml')
  return {
    values: parse(await read('values.yaml')),
    schema: withoutTexts(JSON.parse(await read('values.schema.json'))),
    'default objects': await objects({}),
    ...(existsSync(join(chart, everything)) && {
      'objects with everything enabled': await objects(parse(await read(everything))),
    }),
  }
}
