/** `npm run console:screenshots [-- --to=FOLDER] [-- --format=png]`: the pictures of docs/console.md. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Page } from 'playwright-core'
import { startConsoleBed } from '../console-bed.ts'
import { pictures } from './pictures.ts'
import { seed } from './seed.ts'

const { values } = parseArgs({
  options: {
    to: { type: 'string', default: join(import.meta.dirname, '../../../../docs/console') },
    format: { type: 'string', default: 'webp' },
    only: { type: 'string' },
  },
})
const format = values.format === 'png' ? 'png' : 'webp'
const viewport = { width: 1200, height: 700 }
const folder = mkdtempSync(join(tmpdir(), 'console-screenshots-'))
const bed = await startConsoleBed({}, '--mirror', join(folder, 'record.git'))
try {
  mkdirSync(values.to, { recursive: true })
  await seed(bed)
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await bed.signIn(undefined, '/', { colorScheme, viewport })
    const wanted = pictures.filter(({ theme = 'light', name }) => {
      return theme === colorScheme && (values.only ?? name) === name
    })
    for (const { name, path, ready } of wanted) {
      await page.goto(`${bed.url}${path}`)
      await ready(page)
      // Answers of the server, such as rights, change buttons a moment later.
      await page.waitForTimeout(1500)
      writeFileSync(join(values.to, `${name}.${format}`), await pictureOf(page))
      process.stderr.write(`${name}\n`)
    }
    if (page.complaints.length > 0) throw new Error(page.complaints.join('\n'))
  }
} finally {
  await bed.stop()
  rmSync(folder, { recursive: true, force: true })
}

async function pictureOf(page: Page): Promise<Buffer> {
  const devtools = await page.context().newCDPSession(page)
  // Of a PNG, the quality is ignored.
  const { data } = await devtools.send('Page.captureScreenshot', { format, quality: 80 })
  await devtools.detach()
  return Buffer.from(data, 'base64')
}
