#!/bin/sh
# Removes what the test pods brought about; with --policy also the policy.
set -eu
case ${1:-} in
  "" | --policy) ;;
  *) echo "usage: cleanup.sh [--policy]" >&2; [ "$1" = --help ] && exit 0; exit 2 ;;
esac
case $0 in */*) here=${0%/*} ;; *) here=. ;; esac
kubectl=${KUBECTL:-kubectl}

# The policy goes first when it is to go at all: nothing new is made while the rest is removed.
if [ "${1:-}" = --policy ]; then
  $kubectl delete clusterpolicy generate-unique-job-per-image --ignore-not-found
fi
$kubectl delete -f "$here/test-pods.yaml" --ignore-not-found --wait=false
$kubectl delete jobs -l generated-by=kyverno --all-namespaces --ignore-not-found
echo "removed the test pods, their namespace and the generated jobs"
