/** How forges name the page with the changes of a pull request. */
const pages = [
  [/\/pull\/\d+$/, '/files'],
  [/\/pulls\/\d+$/, '/files'],
  [/\/-\/merge_requests\/\d+$/, '/diffs'],
  [/\/pull-requests\/\d+$/, '/diff'],
] as const

/** The changes of a pull request at its forge: GitHub, Gitea, GitLab or Bitbucket. Undefined for other addresses. */
export function diffAddress(url: string | undefined): string | undefined {
  const page = pages.find(([pattern]) => pattern.test(url ?? ''))
  return page && `${url}${page[1]}`
}
