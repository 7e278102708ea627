import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { releaseSection, sectionOf } from './changelog.ts'
import { versionedFiles } from './versioned-files.ts'

const time = new Date('2026-03-04T05:06:07Z')

describe('versions', () => {
  let root = ''
  const lock = {
    version: '0.1.0',
    packages: {
      '': { version: '0.1.0', devDependencies: { yaml: '2.9.1' } },
      'node_modules/yaml': { version: '2.9.1' },
      'packages/one': { name: '@agents/one', version: '0.1.0' },
    },
  }
  const files = {
    'package.json': '{"version":"0.1.0","workspaces":["packages/*"]}',
    'package-lock.json': JSON.stringify(lock),
    'packages/one/package.json':
      '{"name":"@agents/one","version":"0.1.0","dependencies":{"@agents/two":"0.1.0","yaml":"2.9.1"}}',
    'charts/agents/Chart.yaml':
      'version: 0.9.1\nappVersion: 0.1.0\nannotations:\n  images: ghcr.io/proompteng/agents:0.1.0\n',
    'argocd/applications/agents/values.yaml': 'image:\n  tag: "0.1.0"\n',
    'CHANGELOG.md': '# Changelog\n\n## Unreleased\n\n- Something.\n',
  }

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'agents-release-'))
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(root, path)), { recursive: true })
      await writeFile(join(root, path), text)
    }
  })
  afterEach(() => rm(root, { recursive: true, force: true }))

  test('are set in manifests, lock file, chart, overlay and changelog', async () => {
    const set = await versionedFiles(root, { version: '0.2.0', chart: undefined, time })
    expect([...set.keys()]).toEqual(expect.arrayContaining(Object.keys(files)))
    expect(JSON.parse(set.get('packages/one/package.json') ?? '')).toEqual({
      name: '@agents/one',
      version: '0.2.0',
      dependencies: { '@agents/two': '0.2.0', yaml: '2.9.1' },
    })
    expect(JSON.parse(set.get('package-lock.json') ?? '')).toMatchObject({
      version: '0.2.0',
      packages: {
        '': { version: '0.2.0', devDependencies: { yaml: '2.9.1' } },
        'node_modules/yaml': { version: '2.9.1' },
        'packages/one': { version: '0.2.0' },
      },
    })
    expect(set.get('charts/agents/Chart.yaml')).toBe(
      'version: 0.9.1\nappVersion: 0.2.0\nannotations:\n  images: ghcr.io/proompteng/agents:0.2.0\n',
    )
    expect(set.get('argocd/applications/agents/values.yaml')).toBe('image:\n  tag: "0.2.0"\n')
    expect(set.get('CHANGELOG.md')).toContain('## 0.2.0 (2026-03-04)\n\n- Something.')
  })

  test('of the chart change only if one is given', async () => {
    const set = await versionedFiles(root, { version: '0.2.0', chart: '0.10.0', time })
    expect(set.get('charts/agents/Chart.yaml')).toContain('version: 0.10.0\nappVersion: 0.2.0')
  })

  test.each(['0.2', 'v0.2.0', 'latest'])('%s is rejected', async (version) => {
    const versions = versionedFiles(root, { version, chart: undefined, time })
    await expect(versions).rejects.toThrow('is not a version')
  })
})

describe('changelog', () => {
  const changelog = '# Changelog\n\n## Unreleased\n\n- New.\n\n## 0.1.0\n\n- Old.\n'

  test('keeps a section that exists', () => {
    expect(releaseSection(changelog, '0.1.0', time)).toBe(changelog)
  })

  test('turns unreleased changes into a section', () => {
    const released = releaseSection(changelog, '0.2.0', time)
    expect(sectionOf(released, 'Unreleased')?.trim()).toBe('')
    expect(sectionOf(released, '0.2.0')?.trim()).toBe('- New.')
    expect(sectionOf(released, '0.1.0')?.trim()).toBe('- Old.')
  })

  test('rejects a release without changes', () => {
    const empty = '# Changelog\n\n## Unreleased\n\n## 0.1.0\n\n- Old.\n'
    expect(() => releaseSection(empty, '0.2.0', time)).toThrow('neither a section 0.2.0')
  })
})
