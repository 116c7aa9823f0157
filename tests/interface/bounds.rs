//! Interfaces beside the EPA of the same class.

use tranquera::engine::EngineConfig;
use tranquera::epa;
use tranquera::interface::bounds::bounds;
use tranquera::query::kinds::interface::Params;

use crate::support::program::root;
use crate::support::{class, real};
use crate::synthesised::Wanted;

/// With the requires clauses as what must not happen, and enabledness as predicates (which is what is found), the
/// interface of a class whose EPA is deterministic is that EPA (reference, section 5.7): Signature has 3 states and
/// 10 edges.
#[test]
fn violated_requires_clauses_can_be_forbidden() {
    for params in [Params::Forall, Params::Exists] {
        let mut wanted = Wanted::new("tosem-2013/signature.tq", &["requires"], &[]);
        wanted.params = params;
        let found = wanted.run();
        assert_eq!(found.automaton.states.len(), 3);
        assert!(found.interface.certificate.holds);
        let witnesses = found.interface.prohibitions.iter().map(|p| &p.witness);
        for witness in witnesses {
            let witness = witness.as_ref().expect("a witness");
            let last = witness.calls.last().expect("a call");
            assert_eq!(last.exception.as_deref(), Some("requires"));
        }
    }
}

/// Must(EPA): sizes from the reference (section 5.7), and the sandwich, by counting: what Must allows the interface
/// allows, and what the interface allows the EPA has.
#[test]
fn must_is_as_measured_and_the_interface_lies_between() {
    let cases = [
        ("tosem-2013/signature.tq", (3, 10), (3, 10)),
        ("tosem-2013/piped_output_stream.tq", (3, 8), (3, 8)),
        ("tosem-2013/list_itr.tq", (7, 33), (5, 14)),
        ("tse-2012/circular_buffer_strong.tq", (3, 6), (4, 5)),
    ];
    for (file, epa_size, must_size) in cases {
        let mut wanted = Wanted::new(file, &["requires"], &[]);
        wanted.params = Params::Exists;
        wanted.options.witnesses = false;
        let found = wanted.run();
        assert!(found.interface.certificate.holds, "{file}");
        let path = root().join("fixtures").join(file);
        let loaded = class::load(&path);
        let encoding = class::encode(&loaded);
        let options = epa::ConstructOptions {
            strategy: epa::Strategy::Guided,
            jobs: 2,
            pure_shortcut: true,
            exceptions: epa::Exceptions::All,
            violations: false,
            ..epa::ConstructOptions::default()
        };
        let engine = real::engine("builtin", &EngineConfig::default());
        let constructed = epa::construct(&encoding, engine.as_ref(), &options).expect("an EPA");
        let epa = constructed.epa();
        assert_eq!(
            (epa.states.len(), epa.transitions.len()),
            epa_size,
            "{file}"
        );
        let forbidden = &found.interface.forbidden;
        let bounds =
            bounds(&constructed.abstraction, forbidden, &found.automaton, 6).expect("bounds");
        let must = &bounds.must;
        assert_eq!((must.states.len(), must.transitions), must_size, "{file}");
        for words in &bounds.words {
            let number = |text: &str| text.parse::<u64>().expect("a number");
            assert!(
                number(&words.must) <= number(&words.interface),
                "{file}: {words:?}"
            );
            assert!(
                number(&words.interface) <= number(&words.epa),
                "{file}: {words:?}"
            );
            let between = number(&words.epa) - number(&words.must);
            assert_eq!(number(&words.between), between, "{file}");
            // The bounds are equal where the EPA is deterministic.
            assert!(between == 0 || epa_size != must_size, "{file}");
        }
    }
}
