import { join } from 'node:path'

/** Builds the sources of the browser into the folder. */
export async function buildFiles(folder: string): Promise<void> {
  const { build } = await import('vite')
  await build({
    root: join(import.meta.dirname, '..', '..'),
    configFile: false,
    logLevel: 'error',
    build: {
      outDir: folder,
      emptyOutDir: true,
      target: 'baseline-widely-available',
      // Scripts and styles in pages are forbidden by the policy of the page.
      modulePreload: { polyfill: false },
      assetsInlineLimit: 0,
      reportCompressedSize: false,
      // The licences of packages require that they come with the files.
      license: { fileName: 'licenses.md' },
    },
  })
}
