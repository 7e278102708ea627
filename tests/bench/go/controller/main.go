// A minimal controller on controller-runtime that does what the measured TypeScript controller does: it reads an object from
// the cache, makes one condition, and patches the status, guarded, when that changes anything. It tells what it sees as JSON
// lines on standard output.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/clientcmd"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/go-logr/logr"
)

var groupVersion = schema.GroupVersion{Group: "bench.example.dev", Version: "v1"}

type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              WidgetSpec   `json:"spec"`
	Status            WidgetStatus `json:"status,omitempty"`
}

type WidgetSpec struct {
	Text string `json:"text"`
}

type WidgetStatus struct {
	ObservedGeneration int64              `json:"observedGeneration,omitempty"`
	UpdatedAt          string             `json:"updatedAt,omitempty"`
	Writer             string             `json:"writer,omitempty"`
	Conditions         []metav1.Condition `json:"conditions,omitempty"`
}

type WidgetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Widget `json:"items"`
}

func (w *Widget) DeepCopyInto(out *Widget) {
	*out = *w
	w.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	if w.Status.Conditions != nil {
		out.Status.Conditions = make([]metav1.Condition, len(w.Status.Conditions))
		for i := range w.Status.Conditions {
			w.Status.Conditions[i].DeepCopyInto(&out.Status.Conditions[i])
		}
	}
}

func (w *Widget) DeepCopy() *Widget {
	out := new(Widget)
	w.DeepCopyInto(out)
	return out
}

func (w *Widget) DeepCopyObject() kruntime.Object { return w.DeepCopy() }

func (l *WidgetList) DeepCopyObject() kruntime.Object {
	out := &WidgetList{TypeMeta: l.TypeMeta}
	l.ListMeta.DeepCopyInto(&out.ListMeta)
	out.Items = make([]Widget, len(l.Items))
	for i := range l.Items {
		l.Items[i].DeepCopyInto(&out.Items[i])
	}
	return out
}

func tell(fields map[string]any) {
	line, err := json.Marshal(fields)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(line))
}

func now() float64 { return float64(time.Now().UnixNano()) / 1e6 }

type reconciler struct {
	client client.Client
	writer string
	each   bool
	count  atomic.Int64
	writes atomic.Int64
	total  int64
}

func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	if r.each && r.count.Load() >= r.total {
		tell(map[string]any{"event": "reconcile", "name": request.Name, "at": now()})
	}
	var widget Widget
	if err := r.client.Get(ctx, request.NamespacedName, &widget); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	before := widget.DeepCopy()
	widget.Status.ObservedGeneration = widget.Generation
	widget.Status.Writer = r.writer
	for _, name := range []string{"Ready", "Copied"} {
		meta.SetStatusCondition(&widget.Status.Conditions, metav1.Condition{
			Type: name, Status: metav1.ConditionTrue, Reason: "OK", Message: "every gate is True",
			ObservedGeneration: widget.Generation,
		})
	}
	if !equality.Semantic.DeepEqual(before.Status, widget.Status) {
		widget.Status.UpdatedAt = time.Now().UTC().Format(time.RFC3339)
		patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
		if err := r.client.Status().Patch(ctx, &widget, patch); err != nil {
			return ctrl.Result{}, client.IgnoreNotFound(err)
		}
		r.writes.Add(1)
	}
	switch r.count.Add(1) {
	case 1:
		tell(map[string]any{"event": "first", "at": now()})
	case r.total:
		tell(map[string]any{"event": "all", "at": now(), "writes": r.writes.Load()})
		tell(map[string]any{"event": "memory", "heap": heap()})
	}
	return ctrl.Result{}, nil
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

func main() {
	kubeconfig := flag.String("config", "", "kubeconfig")
	writer := flag.String("writer", "go", "what the status says")
	total := flag.Int64("total", 0, "objects to expect")
	workers := flag.Int("workers", 16, "reconciles at the same time")
	each := flag.Bool("each", false, "tell about every reconcile after the first pass")
	flag.Parse()
	log.SetLogger(logr.Discard())

	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	must(err)
	// As controller-runtime's own loader sets it: the server limits, not the client.
	config.QPS = -1
	scheme := kruntime.NewScheme()
	scheme.AddKnownTypes(groupVersion, &Widget{}, &WidgetList{})
	metav1.AddToGroupVersion(scheme, groupVersion)
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:  scheme,
		Metrics: server.Options{BindAddress: "0"},
		Cache:   cache.Options{DefaultTransform: cache.TransformStripManagedFields()},
	})
	must(err)
	r := &reconciler{client: manager.GetClient(), writer: *writer, each: *each, total: *total}
	must(ctrl.NewControllerManagedBy(manager).
		For(&Widget{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		WithOptions(controller.Options{MaxConcurrentReconciles: *workers}).Complete(r))

	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	tell(map[string]any{"event": "memory", "heap": heap()})
	tell(map[string]any{"event": "start", "at": now()})
	must(manager.Start(ctx))
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
