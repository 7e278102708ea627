import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'

interface Finding {
  readonly id: string
  readonly nodes: readonly { readonly html: string }[]
}

/** What axe-core calls violations. Its script is run by the debugger, which the policy of the page does not concern. */
export async function axeFindings(page: Page, axePath: string): Promise<readonly string[]> {
  await page.evaluate(await readFile(axePath, 'utf8'))
  const findings = (await page.evaluate(
    'axe.run(document).then(({ violations }) => violations)',
  )) as readonly Finding[]
  return findings.flatMap(({ id, nodes }) =>
    nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`),
  )
}
