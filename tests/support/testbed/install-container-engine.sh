#!/bin/sh
# Installs podman, docker and mmdebstrap for the suites that run images. On CI, as root, on Debian only: nobody's own machine is changed.
# Never fails: where it cannot, those suites say that they are skipped, and why.
has() {
  for program in "$@"; do PATH="$PATH:/usr/sbin" command -v "$program" >/dev/null || return 1; done
}
install_packages() {
  DEBIAN_FRONTEND=noninteractive timeout 180 \
    apt-get -o DPkg::Lock::Timeout=60 install --yes --quiet --no-install-recommends "$@"
}
ensure() {
  said=$( (install_packages "$@" || { timeout 120 apt-get update --quiet && install_packages "$@"; }) 2>&1) ||
    printf '%s\n%s cannot be installed: suites that run images with it are skipped\n' "$said" "$1" >&2
}

if has podman mmdebstrap docker dockerd; then exit 0; fi
if [ "${CI:-}" != true ] || [ "$(id -u)" -ne 0 ] || ! has apt-get; then
  echo 'podman, docker or mmdebstrap is missing: suites that run images with it are skipped' >&2
  exit 0
fi
# The package of docker starts a daemon for the whole machine; the suites start one of their own.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  trap 'rm -f "$policy"' EXIT
  printf '#!/bin/sh\nexit 101\n' >"$policy" && chmod 755 "$policy"
fi
# runc, because crun does not take the cgroups of every machine.
has podman mmdebstrap || ensure podman runc mmdebstrap
has dockerd || ensure docker.io
# Newer releases of Debian have docker's program in a package of its own.
has docker || ensure docker-cli
exit 0
