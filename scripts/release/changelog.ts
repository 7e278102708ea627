const heading = '## Unreleased'

/**
 * The changelog with a section for a version. Unreleased changes become that section, dated by the release; one that
 * exists is not changed. A release without changes is an error.
 */
export function releaseSection(changelog: string, version: string, time: Date): string {
  if (sectionOf(changelog, version) !== undefined) return changelog
  const unreleased = sectionOf(changelog, 'Unreleased')?.trim() ?? ''
  if (unreleased === '') {
    throw new Error(`CHANGELOG.md has neither a section ${version} nor unreleased changes`)
  }
  const date = time.toISOString().slice(0, 10)
  return changelog.replace(heading, `${heading}\n\n## ${version} (${date})`)
}

/** The text below the heading of a version, up to the next version. */
export function sectionOf(changelog: string, version: string): string | undefined {
  const [, ...sections] = changelog.split(/^## /m)
  const section = sections.find((text) => text.split(/\s/, 1)[0] === version)
  return section?.slice(section.indexOf('\n') + 1)
}
