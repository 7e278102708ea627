// Command receiver receives spans with the collector's own types and the official gRPC server. It prints each batch
// that it could decode as one line of JSON, spans with their resource. The first line contains its addresses.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	_ "google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// Requests without this header are rejected, which shows that clients send it.
const header, password = "x-test-key", "not-a-real-key"

func main() {
	stop, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer cancel()
	if err := serve(stop); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve(stop context.Context) error {
	grpcListener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	httpListener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	out := &printer{}
	calls := grpc.NewServer()
	ptraceotlp.RegisterGRPCServer(calls, &exports{out: out})
	requests := &http.Server{Handler: posts(out)}
	ended := make(chan error, 2)
	go func() { ended <- calls.Serve(grpcListener) }()
	go func() { ended <- requests.Serve(httpListener) }()
	out.print(map[string]string{
		"grpc": grpcListener.Addr().String(),
		"http": httpListener.Addr().String(),
	})
	select {
	case err := <-ended:
		return err
	case <-stop.Done():
		calls.Stop()
		return requests.Close()
	}
}

type exports struct {
	ptraceotlp.UnimplementedGRPCServer
	out *printer
}

func (e *exports) Export(ctx context.Context, request ptraceotlp.ExportRequest) (ptraceotlp.ExportResponse, error) {
	sent, _ := metadata.FromIncomingContext(ctx)
	if keys := sent.Get(header); len(keys) != 1 || keys[0] != password {
		return ptraceotlp.NewExportResponse(), status.Error(codes.Unauthenticated, "no key")
	}
	return accept(e.out, request)
}

// Spans with this name are rejected, as partial success.
const unwanted = "unwanted"

func accept(out *printer, request ptraceotlp.ExportRequest) (ptraceotlp.ExportResponse, error) {
	traces := request.Traces()
	rejected := int64(0)
	for i := range traces.ResourceSpans().Len() {
		for j := range traces.ResourceSpans().At(i).ScopeSpans().Len() {
			traces.ResourceSpans().At(i).ScopeSpans().At(j).Spans().RemoveIf(func(span ptrace.Span) bool {
				if span.Name() != unwanted {
					return false
				}
				rejected++
				return true
			})
		}
	}
	response := ptraceotlp.NewExportResponse()
	if rejected > 0 {
		response.PartialSuccess().SetRejectedSpans(rejected)
		response.PartialSuccess().SetErrorMessage("nobody wants them")
	}
	text, err := (&ptrace.JSONMarshaler{}).MarshalTraces(traces)
	if err != nil {
		return response, err
	}
	out.print(json.RawMessage(text))
	return response, nil
}

func posts(out *printer) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/traces", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get(header) != password {
			http.Error(w, "no key", http.StatusUnauthorized)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err == nil {
			err = post(out, w, r.Header.Get("Content-Type"), body)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
		}
	})
	return mux
}

func post(out *printer, w http.ResponseWriter, contentType string, body []byte) error {
	request := ptraceotlp.NewExportRequest()
	var answer func(ptraceotlp.ExportResponse) ([]byte, error)
	switch contentType {
	case "application/json":
		if err := request.UnmarshalJSON(body); err != nil {
			return err
		}
		answer = ptraceotlp.ExportResponse.MarshalJSON
	case "application/x-protobuf":
		if err := request.UnmarshalProto(body); err != nil {
			return err
		}
		answer = ptraceotlp.ExportResponse.MarshalProto
	default:
		return errors.New("unknown content type " + contentType)
	}
	response, err := accept(out, request)
	if err != nil {
		return err
	}
	text, err := answer(response)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", contentType)
	_, err = w.Write(text)
	return err
}

type printer struct{ mutex sync.Mutex }

func (p *printer) print(value any) {
	text, err := json.Marshal(value)
	if err != nil {
		text = []byte(`{"error":"unprintable"}`)
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	fmt.Println(string(text))
}
